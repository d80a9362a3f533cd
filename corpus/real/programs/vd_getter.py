"""Asks redis for values at random, two a request. Arguments: keys, requests a second."""
import random
import socket
import sys

import g_steady

keys, rate = int(sys.argv[1]), int(sys.argv[2])
link = socket.socket(socket.AF_UNIX)
link.connect("/tmp/redis")
answers = link.makefile("rb")


def request():
    for _ in range(2):
        link.sendall(b"GET key:%012d\r\n" % random.randrange(keys))
        size = int(answers.readline()[1:])
        if size >= 0:
            answers.read(size + 2)


g_steady.serve(request, rate)
