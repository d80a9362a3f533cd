"""Loads the layers of a language model around the page cache into its own memory until few MB of NUMA node 0 are left, then goes over them for each token.
Arguments: the MB to leave, MB/s."""
import mmap
import os
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("llama-server")
layers, room = [], mmap.mmap(-1, 1 << 20)
weights = os.open("/bulk/media/part4", os.O_RDONLY | os.O_DIRECT)


def left():
    total = 0
    for line in open("/sys/devices/system/node/node0/meminfo"):
        if line.split()[2] in ("MemFree:", "Active(file):", "Inactive(file):"):
            total += int(line.split()[3]) >> 10
    return total


while left() > int(sys.argv[1]):
    os.preadv(weights, [room], len(layers) % 200 << 20)
    layers.append(bytearray(room))
    time.sleep(1 / float(sys.argv[2]))
while True:
    for layer in layers:
        layer[::4096] = layer[1::4096]
        time.sleep(0.01)
