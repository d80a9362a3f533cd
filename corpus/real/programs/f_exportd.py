"""Answers on a socket, with a catalogue of 40 MB in its heap, of which parsing takes 30 MB more for a moment. From when /tmp/go exists each answer
leaves an export of 256 KB in a volume on tmpfs."""
import os
import socket
import time

source = bytearray(b"s") * (30 << 20)
catalogue = [bytearray(b"x") * (1 << 20) for _ in range(40)]
del source
if os.path.exists("/tmp/exportd"):
    os.remove("/tmp/exportd")
server = socket.socket(socket.AF_UNIX)
server.bind("/tmp/exportd")
server.listen(8)
while True:
    link, _ = server.accept()
    link.recv(100)
    if os.path.exists("/tmp/go"):
        with open(f"/mnt/exports/{time.time_ns()}", "wb") as file:
            file.write(catalogue[0][: 1 << 18])
    link.sendall(bytes(catalogue[7][:2000]))
    link.close()
