"""Serves tokens as language models do, one request at a time: `PORT FIRST_S NEXT_S`.

A first token after 0 seconds never comes. Before 0 the server dies, before -1 it computes for ever.
"""

import json
import os
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

port, first_s, next_s = int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3])
turn = threading.Lock()


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps({"data": [{"id": "tokens"}]}).encode())

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(200)
        self.end_headers()
        while first_s < -1:
            pass
        if first_s < 0:
            os._exit(9)
        if first_s == 0:
            threading.Event().wait()
        with turn:
            for number in range(body["max_tokens"]):
                time.sleep(next_s if number else first_s)
                self.wfile.write(b'data: {"choices": [{"text": "a"}]}\n\n')


ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()
