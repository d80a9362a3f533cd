"""Sets 40 values a second in the redis of /tmp/redis, one after another, of 600 bytes; prints clock, sets and ms of each."""
import random
import socket

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("cartapi")
link = socket.socket(socket.AF_UNIX)
link.connect("/tmp/redis")
answers, value = link.makefile("rb"), b"v" * 600


def put():
    key = b"cart:%06d" % random.randrange(20000)
    link.sendall(b"*3\r\n$3\r\nSET\r\n$%d\r\n%b\r\n$600\r\n%b\r\n" % (len(key), key, value))
    answers.readline()


g_steady.serve(put, 40)
