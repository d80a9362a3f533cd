"""Renders one document after the other, on a socket: takes 2 MB for one, and 160 MB when /tmp/go exists."""
import os
import socket

with open("/proc/self/comm", "w") as comm:
    comm.write("typeset")
if os.path.exists("/tmp/render.sock"):
    os.unlink("/tmp/render.sock")
door = socket.socket(socket.AF_UNIX)
door.bind("/tmp/render.sock")
door.listen(16)
while True:
    link, _ = door.accept()
    try:
        link.recv(100)
        pages = [bytearray(b"p") * 1048576 for _ in range(160 if os.path.exists("/tmp/go") else 2)]
        link.sendall(b"%d\n" % len(pages))
    except OSError:
        pass
    pages = None
    link.close()
