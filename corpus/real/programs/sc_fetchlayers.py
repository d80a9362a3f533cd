"""Nodes that pull layers from a mirror on the socket /tmp/mirror, one of as many, by its number. Prints in each second clock, layers and ms. Arguments:
how many layers there are, layers a second."""
import random
import socket
import sys

import g_steady

count, room = int(sys.argv[1]), bytearray(1 << 18)


def fetch():
    with socket.socket(socket.AF_UNIX) as link:
        link.connect("/tmp/mirror")
        link.sendall(b"GET /%d HTTP/1.0\r\n\r\n" % random.randrange(1, count + 1))
        while link.recv_into(room):
            pass


g_steady.serve(fetch, float(sys.argv[2]))
