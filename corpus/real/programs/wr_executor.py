"""An executor of a build farm: takes memory, MB a second, until only so many MB of files are cached on its node, and works in all of it. Arguments: the node, the MB
left, MB a second."""
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("executor")
node, left, rate = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
held = []


def cached():
    with open(f"/sys/devices/system/node/node{node}/meminfo") as info:
        return sum(int(line.split()[3]) for line in info if "Active(file)" in line or "Inactive(file)" in line) >> 10


while cached() > left:
    held.append(bytearray(b"o") * 1048576)
    time.sleep(1 / rate)
while True:
    for block in held:
        block[::4096] = b"p" * 256
    time.sleep(2)
