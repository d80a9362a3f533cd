"""An assembler of genomes adds to its graph, 6 MB a second as long as nobody slows it, up to MB, and then walks through it. Argument: the MB."""
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("spades")
graph = []
while len(graph) < int(sys.argv[1]) * 4:
    graph.append(bytearray(b"ACGT") * 65536)
    time.sleep(1 / 24)
while True:
    for part in graph:
        part[::4096] = b"T" * 64
    time.sleep(1)
