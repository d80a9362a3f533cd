"""Viewers behind nginx at /tmp/web: 45 pieces a second in all, by eight connections at a time, out of the files /a000 to /a999."""
import random
import socket

import vd_desk


def get():
    with socket.socket(socket.AF_UNIX) as link:
        link.connect("/tmp/web")
        link.sendall(b"GET /a%03d HTTP/1.0\r\n\r\n" % random.randrange(1000))
        while link.recv(65536):
            pass


vd_desk.serve(get, 45, 8)
