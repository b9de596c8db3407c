"""Serves the page on this machine, compressed where the browser takes that.

usage: serve.py DIRECTORY PORT
"""
import functools
import http.server
import os
import sys


class Handler(http.server.SimpleHTTPRequestHandler):
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, '.wasm': 'application/wasm',
                      '.c': 'text/plain', '.h': 'text/plain'}

    def send_head(self):
        path = self.translate_path(self.path)
        if os.path.isdir(path):
            path = os.path.join(path, 'index.html')
        if 'br' not in self.headers.get('Accept-Encoding', '') or not os.path.isfile(path + '.br'):
            return super().send_head()
        file = open(path + '.br', 'rb') # the caller closes it
        self.send_response(200)
        self.send_header('Content-Type', self.guess_type(path))
        self.send_header('Content-Encoding', 'br')
        self.send_header('Content-Length', str(os.fstat(file.fileno()).st_size))
        self.end_headers()
        return file


def main():
    handler = functools.partial(Handler, directory=sys.argv[1])
    with http.server.ThreadingHTTPServer(('127.0.0.1', int(sys.argv[2])), handler) as server:
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            pass


main()
