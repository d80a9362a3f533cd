"""Builds the graph of a segment in memory: MB of it at MB/s, and then visits random nodes of it, 2000 a second. Arguments: MB, MB/s. Prints nothing."""
import random
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("optimization")
graph = []
while len(graph) < int(sys.argv[1]):
    graph.append(bytearray(b"g") * 1048576)
    time.sleep(1 / float(sys.argv[2]))
while True:
    for _ in range(200):
        graph[random.randrange(len(graph))][random.randrange(256) * 4096] ^= 1
    time.sleep(0.1)
