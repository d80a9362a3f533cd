"""A daemon that lends licences at /tmp/licence; it answers at once, and after 0.35 s (its own server is far away then) when /tmp/go exists."""
import os
import socket
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("licenced")
door = socket.socket(socket.AF_UNIX)
door.bind("/tmp/licence")
door.listen(16)
while True:
    link, _ = door.accept()
    with link:
        link.recv(100)
        if os.path.exists("/tmp/go"):
            time.sleep(0.35)
        link.sendall(b"granted\n")
