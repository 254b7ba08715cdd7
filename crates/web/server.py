"""Serves a folder to this machine: `server.py FOLDER PORT`. Port 0 is any free one."""

import functools
import http.server
import pathlib
import sys

folder, port = sys.argv[1:]
# Only a page that these isolate from others may share memory between threads.
isolation = {"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp"}
if not pathlib.Path(folder, "obbligato", "threads").is_dir():
    isolation = {}


class Handler(http.server.SimpleHTTPRequestHandler):
    def end_headers(self):
        for name, value in isolation.items():
            self.send_header(name, value)
        super().end_headers()


handler = functools.partial(Handler, directory=folder)
with http.server.ThreadingHTTPServer(("127.0.0.1", int(port)), handler) as server:
    print(f"http://localhost:{server.server_port}/", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass
