"""Loads 60 MB of prices in 6 s, and then answers on a socket; from when /tmp/go exists it keeps 1.5 MB of each answer."""
import os
import socket
import time

with open("/proc/self/comm", "w") as name:
    name.write("pricer")
if os.path.exists("/tmp/pricer"):
    os.unlink("/tmp/pricer")
held = []
for _ in range(60):
    held.append(bytearray(b"p") * (1 << 20))
    time.sleep(0.1)
asked = socket.socket(socket.AF_UNIX)
asked.bind("/tmp/pricer")
asked.listen(64)
while True:
    link, _ = asked.accept()
    if os.path.exists("/tmp/go"):
        held.append(bytearray(b"p") * (3 << 19))
    try:
        link.sendall(b"price")
    except OSError:
        pass
    link.close()
