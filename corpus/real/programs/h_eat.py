"""Takes memory until only so many MiB of files are cached, of the host or of a node; then touches all of it again. Arguments: MiB left, MiB/s, node."""
import sys
import time

open("/proc/self/comm", "w").write("reportd")
left, rate = int(sys.argv[1]), float(sys.argv[2])
name = f"/sys/devices/system/node/node{sys.argv[3]}/meminfo" if len(sys.argv) > 3 else "/proc/meminfo"


def files():
    total = 0
    with open(name) as file:
        for line in file:
            if "ctive(file)" in line:
                total += int(line.split()[-2])
    return total // 1024


held = []
while files() > left:
    held.append(bytearray(b"r") * 1048576)
    time.sleep(1 / rate)
while True:
    for block in held:
        block[::4096] = b"s" * 256
    time.sleep(2)
