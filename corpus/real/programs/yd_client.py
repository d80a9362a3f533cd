"""Clients of nginx at /tmp/web ask for files /a000, /a001 and so on, 15 a second at random times; only an answer of 200 counts. Argument: the files."""
import random
import socket
import sys

import quokka_tally


def get():
    with socket.socket(socket.AF_UNIX) as link:
        link.connect("/tmp/web")
        link.sendall(b"GET /a%03d HTTP/1.0\r\nHost: site\r\n\r\n" % random.randrange(int(sys.argv[1])))
        answer = link.recv(65536)
        status = answer[9:12]
        while answer:
            answer = link.recv(65536)
    return status == b"200"


quokka_tally.serve(get, 15)
