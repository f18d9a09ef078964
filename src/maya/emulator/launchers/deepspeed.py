"""DeepSpeed's launcher."""

from pathlib import Path

from maya.emulator.launchers.deepspeed_hosts import active_slots, read_hostfile
from maya.emulator.launchers.launch import Launch, Launcher, LauncherCall, count, port_of
from maya.emulator.launchers.options import Syntax, parse_options
from maya.emulator.launchers.script import script_argv, with_local_rank

_SYNTAX = Syntax(
    "deepspeed",
    frozenset(
        [
            "hostfile",
            "include",
            "exclude",
            "num-nodes",
            "min-elastic-nodes",
            "max-elastic-nodes",
            "num-gpus",
            "master-port",
            "node-rank",
            "master-addr",
            "launcher",
            "launcher-args",
            "save-pid",
            "enable-each-rank-log",
            "autotuning",
            "elastic-training",
            "bind-core-list",
            "ssh-port",
            "venv-script",
        ]
    ),
    frozenset(
        [
            "module",
            "no-python",
            "no-local-rank",
            "no-ssh",
            "no-ssh-check",
            "force-multi",
            "bind-cores-to-rank",
            "elastic-training",
        ]
    ),
    {"H": "hostfile", "i": "include", "e": "exclude"},
)


def _read(call: LauncherCall) -> Launch:
    parsed = parse_options(_SYNTAX, call.words)
    options = parsed.options
    nodes = count(options["num-nodes"], "--num_nodes") if "num-nodes" in options else None
    per_node = count(options["num-gpus"], "--num_gpus") if "num-gpus" in options else None
    env = {}
    if "include" in options or "exclude" in options:
        slots = active_slots(options, call.node.gpus)
        nodes, per_node = len(slots), len(slots[0])
        env["CUDA_VISIBLE_DEVICES"] = ",".join(map(str, slots[0]))
    elif "hostfile" in options and nodes is None:
        hosts = read_hostfile(Path(options["hostfile"]))
        nodes, per_node = len(hosts), per_node or next(iter(hosts.values()))
    argv = script_argv(call.python, parsed)
    if "no-local-rank" not in options:
        argv = with_local_rank(argv, parsed, "--local_rank")
    return Launch("deepspeed", argv, per_node, nodes, port_of(options.get("master-port", "")), env)


DEEPSPEED = Launcher(("deepspeed", "deepspeed.launcher.runner"), _read)
