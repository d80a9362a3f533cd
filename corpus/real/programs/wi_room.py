"""A chat server resolves the state of a large room: it builds a dictionary of events, some MB a second, up to a size, and keeps it. Arguments: the MB,
MB a second."""
import random
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("synapse")
size, rate = int(sys.argv[1]), int(sys.argv[2])
state = {}
for block in range(size):
    state[block] = bytearray(b"e") * (1 << 20)
    time.sleep(1 / rate)
while True:
    state[random.randrange(size)][random.randrange(256) << 12] = 7
    time.sleep(0.02)
