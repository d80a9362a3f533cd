"""A name server with 40 MB of zones. As soon as /tmp/unreachable exists, each query to its upstream stays and holds 600 KB."""
import os
import socket

with open("/proc/self/comm", "w") as comm:
    comm.write("coredns")
zones = [bytearray(b"z") * 1048576 for _ in range(40)]
if os.path.exists("/tmp/dns"):
    os.unlink("/tmp/dns")
server, waiting = socket.socket(socket.AF_UNIX), []
server.bind("/tmp/dns")
server.listen(64)
while True:
    link, _ = server.accept()
    link.recv(1)
    if os.path.exists("/tmp/unreachable"):
        waiting.append(bytearray(b"w") * 614400)
    try:
        link.sendall(b"a")
    except OSError:
        pass
    link.close()
