"""Before each request a client resolves a name, with two questions over datagrams. From when /tmp/go exists one question in four is lost, and
the client asks again after a second."""
import os
import random
import socket

import pace

names = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
names.bind("/tmp/resolver")
if os.fork() == 0:
    with open("/proc/self/comm", "w") as name:
        name.write("coredns")
    while True:
        question, client = names.recvfrom(512)
        if not os.path.exists("/tmp/go") or random.random() > 0.25:
            names.sendto(b"10.96.0.7", client)
link = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
link.bind("/tmp/client")
link.settimeout(1)


def resolve():
    for suffix in (b".shop.svc", b""):
        answer = None
        while not answer:
            link.sendto(b"prices" + suffix, "/tmp/resolver")
            try:
                answer = link.recv(512)
            except TimeoutError:
                pass


pace.serve(resolve, interval=0.1)
