"""A store of artifacts: loads its index of 100 MB at 5 MB/s when it starts, and then answers on /tmp/exportd; each request looks at 30 pages of
the index."""
import os
import random
import socket
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("artifactd")
if os.path.exists("/tmp/exportd"):
    os.remove("/tmp/exportd")
index = []
for _ in range(100):
    index.append(bytearray(b"x") * (1 << 20))
    time.sleep(0.2)
server = socket.socket(socket.AF_UNIX)
server.bind("/tmp/exportd")
server.listen(8)
while True:
    link, _ = server.accept()
    try:
        link.recv(100)
        for _ in range(30):
            random.choice(index)[random.randrange(256) * 4096] = 1
        link.sendall(b"sha256:" * 200)
    except OSError:
        pass
    link.close()
