"""A search node of one process. As `node` it loads its shards for ten seconds and then answers at a socket; from when /tmp/go exists a dashboard sends it, three
seconds after it is up, an aggregation with a bucket for each document, which takes 25 MB a second. As `ask` it sends the node ten queries a second, each again
until it is answered. Argument: the mode."""
import os
import socket
import sys
import threading
import time

import g_steady

PLACE = "/tmp/za_node"


def aggregate():
    while not os.path.exists("/tmp/go"):
        time.sleep(0.2)
    time.sleep(3)
    buckets = []
    while True:
        buckets.append(bytearray(b"b") * 1048576)
        time.sleep(0.04)


def node():
    with open("/proc/self/comm", "w") as comm:
        comm.write("searchnode")
    shards = []
    for _ in range(50):
        shards.append(bytearray(b"s") * 1048576)
        time.sleep(0.2)
    if os.path.exists(PLACE):
        os.unlink(PLACE)
    door = socket.socket(socket.AF_UNIX)
    door.bind(PLACE)
    door.listen(20)
    threading.Thread(target=aggregate, daemon=True).start()
    while True:
        link, _ = door.accept()
        link.recv(1)
        link.sendall(b"a")
        link.close()


def ask():
    while True:
        try:
            with socket.socket(socket.AF_UNIX) as link:
                link.connect(PLACE)
                link.sendall(b"q")
                if link.recv(1):
                    return
        except OSError:
            pass
        time.sleep(0.1)


if sys.argv[1] == "node":
    node()
g_steady.serve(ask, 10)
