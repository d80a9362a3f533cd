"""Gets 200 values a second from redis, out of 60 MB."""
import random
import socket

import pace

link = socket.socket(socket.AF_UNIX)
link.connect("/tmp/redis")
answers = link.makefile("rb")


def get():
    link.sendall(b"GET key:%012d\r\n" % random.randrange(60000))
    size = int(answers.readline()[1:])
    if size >= 0:
        answers.read(size + 2)


pace.serve(get, batch=10)
