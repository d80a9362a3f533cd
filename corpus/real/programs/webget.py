"""A client of nginx at /tmp/web: gets 20 of 500 files a second, /a000 to /a499, on a connection each."""
import random
import socket

import pace


def get():
    with socket.socket(socket.AF_UNIX) as link:
        link.connect("/tmp/web")
        link.sendall(b"GET /a%03d HTTP/1.0\r\n\r\n" % random.randrange(500))
        while link.recv(65536):
            pass


pace.serve(get)
