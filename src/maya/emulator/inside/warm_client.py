"""Stands for a process that a warm server runs: same input, output, signals and exit code.

SOCKET, then the command line. Run with -S -E: it must start fast.
"""

import json
import os
import signal
import socket
import sys

SERVER_LOST = 75  # EX_TEMPFAIL: the server has gone, and the program with it


def main() -> int:
    """Hand everything over, pass signals on, wait."""
    env = dict(os.environ)
    if "MAYA_WARM_PRELOAD" in env:
        env["LD_PRELOAD"] = env.pop("MAYA_WARM_PRELOAD")
    run = {"argv": sys.argv[2:], "env": env, "directory": os.getcwd()}
    server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        server.connect(sys.argv[1])
        data = json.dumps(run).encode()
        socket.send_fds(server, [len(data).to_bytes(8, "little")], [0, 1, 2])
        server.sendall(data)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda which, _: server.sendall(bytes([which])))
        code = int(server.recv(16) or str(SERVER_LOST))
    except OSError:
        return SERVER_LOST
    if code < 0:
        if -code not in (signal.SIGKILL, signal.SIGSTOP):  # these have no handler to take away
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    return code


if __name__ == "__main__":
    sys.exit(main())
