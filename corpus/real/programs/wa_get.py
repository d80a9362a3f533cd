"""A client of nginx at /tmp/web: gets files /a000, /a001 and so on, one after the other. Arguments: the files, requests a second."""
import random
import socket
import sys

import g_steady

count = int(sys.argv[1])


def get():
    with socket.socket(socket.AF_UNIX) as link:
        link.connect("/tmp/web")
        link.sendall(b"GET /a%03d HTTP/1.0\r\n\r\n" % random.randrange(count))
        while link.recv(65536):
            pass


g_steady.serve(get, int(sys.argv[2]))
