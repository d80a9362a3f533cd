"""Virtual desktops, with MiB of memory each. Roles: `user MiB` serves 15 requests a second, each of which touches 60 pages at random, and prints
clock, requests and ms of each; `boot MiB` (`kvm-boot`) fills its memory in about 6 s, and then touches 40 pages at random every 10 ms."""
import random
import sys
import time

import g_steady

role, size = sys.argv[1], int(sys.argv[2])
memory = bytearray(size << 20)
if role == "boot":
    with open("/proc/self/comm", "w") as comm:
        comm.write("kvm-boot")
for part in range(size):
    memory[part << 20 : (part + 1) << 20] = b"\x5a" * (1 << 20)
    if role == "boot":
        time.sleep(6 / size)


def touch(pages):
    for _ in range(pages):
        memory[random.randrange(len(memory))] = 7


if role == "user":
    g_steady.serve(lambda: touch(60), 15)
while True:
    touch(40)
    time.sleep(0.01)
