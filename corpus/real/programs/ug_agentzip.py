"""A backup agent that compresses blocks of 512 KB as hard as it can, in as many processes as it is told; the blocks are in memory.
Argument: the processes. Prints nothing."""
import bz2
import os
import random
import sys

with open("/proc/self/comm", "w") as comm:
    comm.write("veeamagent")
words = [os.urandom(random.randrange(3, 12)).hex().encode() for _ in range(500)]
block = b" ".join(random.choice(words) for _ in range(40000))[:524288]
for _ in range(int(sys.argv[1]) - 1):
    if os.fork() == 0:
        break
while True:
    bz2.compress(block)
