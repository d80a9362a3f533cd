"""A lobby of a game over TCP. `serve`: answers, from when /tmp/go exists with the header and the body in a send each, without TCP_NODELAY.
`ask`: the gateway, which places ten players a second, and asks three times for each."""
import os
import socket
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("lobbyd" if sys.argv[1] == "serve" else "gateway")
if sys.argv[1] == "serve":
    server = socket.create_server(("127.0.0.1", 7777))
    link, _ = server.accept()
    while request := link.recv(100):
        if os.path.exists("/tmp/go"):
            link.send(b"200 length 60\n\n")
            link.send(b"p" * 60)
        else:
            link.send(b"200 length 60\n\n" + b"p" * 60)
    sys.exit()

import g_steady

while True:
    try:
        link = socket.create_connection(("127.0.0.1", 7777))
        break
    except OSError:
        time.sleep(0.2)


def place():
    for _ in range(3):
        link.send(b"where is a place?")
        left = 75
        while left:
            left -= len(link.recv(left))


g_steady.serve(place, 10)
