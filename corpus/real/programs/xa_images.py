"""`fill`: makes images of 64 KB in /data/img. `ask`: 10 visits a second, each gets ten of them from nginx at /tmp/web, one after the other.
Arguments: fill or ask, the images."""
import os
import random
import socket
import sys

import g_steady

count = int(sys.argv[2])
if sys.argv[1] == "fill":
    os.makedirs("/data/img", exist_ok=True)
    for number in range(count):
        with open(f"/data/img/{number}.jpg", "wb") as file:
            file.write(os.urandom(1024) * 64)
    os.sync()
    sys.exit()
link = socket.socket(socket.AF_UNIX)
link.connect("/tmp/web")
answers = link.makefile("rb")


def get(number):
    link.sendall(b"GET /%d.jpg HTTP/1.1\r\nHost: shop\r\n\r\n" % number)
    size = 0
    while (line := answers.readline()) != b"\r\n":
        if not line:
            raise SystemExit("closed")
        if line.lower().startswith(b"content-length:"):
            size = int(line[15:])
    answers.read(size)


for number in range(count):
    get(number)
g_steady.serve(lambda: [get(random.randrange(count)) for _ in range(10)], 10)
