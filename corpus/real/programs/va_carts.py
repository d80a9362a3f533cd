"""Sets 20 values a second in redis, one after another, each of 600 bytes among 5000 keys."""
import random
import socket

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("cartwriter")
link = socket.socket(socket.AF_UNIX)
link.connect("/tmp/redis")
answers = link.makefile("rb")


def put():
    link.sendall(b"SET cart:%d %s\r\n" % (random.randrange(5000), b"c" * 600))
    answers.readline()


g_steady.serve(put, 20)
