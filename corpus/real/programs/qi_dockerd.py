"""A daemon of containers that copies a container's output from its standard input into a log, a line at a time: keeps what it has read until a line ends."""
import os

with open("/proc/self/comm", "w") as comm:
    comm.write("dockerd")
log, pieces = open("/tmp/container-json.log", "wb", 0), []
while piece := os.read(0, 65536):
    pieces.append(piece)
    if b"\n" in piece:
        log.write(b"".join(pieces))
        pieces.clear()
