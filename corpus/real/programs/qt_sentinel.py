"""The daemon at the edge of a platform: 60 MB of routes, and 256 KB of fresh memory for each request, which it gives back. From when /tmp/go exists all
tunnels connect again, and it takes 4 MB a second, up to 100 MB, for their state. Argument: the socket where it answers."""
import mmap
import os
import socket
import sys
import threading
import time

with open("/proc/self/comm", "w") as name:
    name.write("sentinel")
routes, tunnels, body = bytearray(b"r") * (60 << 20), [], b"b" * (256 << 10)


def reconnect():
    while len(tunnels) < 400:
        time.sleep(1 / 16)
        if os.path.exists("/tmp/go"):
            tunnels.append(bytearray(b"t") * (256 << 10))


threading.Thread(target=reconnect, daemon=True).start()
door = socket.socket(socket.AF_UNIX)
door.bind(sys.argv[1])
door.listen(4)
while True:
    asker = door.accept()[0]
    with mmap.mmap(-1, 256 << 10) as scratch:
        scratch.write(body)
    try:
        asker.recv(1)
        asker.sendall(b"!")
    except OSError:
        pass
    asker.close()
