"""Sets 200 values of 1 kB a second in redis."""
import random
import socket

import pace

link = socket.socket(socket.AF_UNIX)
link.connect("/tmp/redis")
answers = link.makefile("rb")


def put():
    link.sendall(b"*3\r\n$3\r\nSET\r\n$10\r\n%010d\r\n$1000\r\n%s\r\n" % (random.randrange(20000), b"v" * 1000))
    answers.readline()


pace.serve(put, batch=10)
