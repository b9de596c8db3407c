"""Serves the page on this machine, compressed where the browser takes that. A port that cannot be served ends
with a message and code 2; --check only tries it.

usage: serve.py DIRECTORY PORT | serve.py --check PORT
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


def fail(message):
    print(message, file=sys.stderr)
    sys.exit(2)


def open_server(directory, port):
    if not (port.isascii() and port.isdigit() and 1 <= int(port) <= 65535):
        fail(f"'{port}' is no port: a number from 1 to 65535")
    try:
        return http.server.ThreadingHTTPServer(('127.0.0.1', int(port)),
                                               functools.partial(Handler, directory=directory))
    except OSError as error:
        fail(f'port {port}: {error.strerror}')


def main():
    directory, port = sys.argv[1:]
    with open_server(directory, port) as server:
        if directory == '--check':
            return
        print(f'http://localhost:{port}/ (Ctrl-C ends)', flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            pass


main()
