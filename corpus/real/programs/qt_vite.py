"""A development server that somebody started once more: builds its module graph of MB at 6 MB/s, and walks through some of it each second.
Argument: the MB."""
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("vite")
graph = []
while len(graph) < int(sys.argv[1]):
    graph.append(bytearray(b"v") * (1 << 20))
    time.sleep(1 / 6)
while True:
    for module in graph:
        module[::4096] = b"w" * 256
    time.sleep(1)
