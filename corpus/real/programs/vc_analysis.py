"""The analysis of a project builds its tree of syntax in memory, 60 MB a second, and then walks from node to node of it. Argument: MiB."""
import random
import sys
import time

tree = []
for _ in range(int(sys.argv[1])):
    tree.append(bytearray(b"a") * 1048576)
    time.sleep(1 / 60)
while True:
    for _ in range(300):
        tree[random.randrange(len(tree))][random.randrange(1048576)] = 1
    time.sleep(0.05)
