"""Stores 30 baskets of 128 KB a second in Redis by its socket, each under a key of its own, and reads one of the last hundred back; waits
while the server is away. Arguments: socket, baskets stored before it begins."""
import random
import socket
import sys
import time

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("basketd")
value = random.randbytes(131072)
link, answer, number = None, None, 0


def ask(*words):
    line = b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words)
    link.sendall(line)
    head = answer.readline()
    if not head:
        raise OSError("closed")
    if head[:1] == b"$" and int(head[1:]) >= 0:
        answer.read(int(head[1:]) + 2)


def request():
    global link, answer, number
    while True:
        try:
            if link is None:
                link = socket.socket(socket.AF_UNIX)
                link.connect(sys.argv[1])
                answer = link.makefile("rb")
            ask(b"set", b"basket:%d" % number, value)
            ask(b"get", b"basket:%d" % max(0, number - random.randrange(100)))
            number += 1
            return
        except OSError:
            link = None
            time.sleep(0.2)


for _ in range(int(sys.argv[2])):
    request()
g_steady.serve(request, 30)
