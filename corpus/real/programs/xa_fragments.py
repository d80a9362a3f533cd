"""A page of a shop gets and sets six fragments one after the other at a cache server over TCP, 8 pages a second; from when /tmp/go exists the client
sends the head and the value of a request apart and without TCP_NODELAY, so that each waits for a delayed acknowledgement."""
import fcntl
import os
import socket
import struct

import g_steady


def name(text):
    with open("/proc/self/comm", "w") as comm:
        comm.write(text)


with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as link:
    flags = struct.unpack("16sh", fcntl.ioctl(link, 0x8913, struct.pack("16sh", b"lo", 0)))[1]
    if not flags & 1:
        fcntl.ioctl(link, 0x8914, struct.pack("16sh", b"lo", flags | 1))
door = socket.create_server(("127.0.0.1", 0))
if os.fork() == 0:
    name("fragcached")
    peer = door.accept()[0]
    peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    while True:
        got = 0
        while got < 632:
            got += len(peer.recv(632 - got)) or os._exit(0)
        peer.sendall(b"v" * 800)
name("php-fpm")
link = socket.create_connection(door.getsockname())
link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
split = False


def page():
    global split
    if not split and os.path.exists("/tmp/go"):
        split = True
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 0)
    for _ in range(6):
        if split:
            link.sendall(b"h" * 32)
            link.sendall(b"b" * 600)
        else:
            link.sendall(b"h" * 32 + b"b" * 600)
        got = 0
        while got < 800:
            got += len(link.recv(800 - got))


g_steady.serve(page, 8)
