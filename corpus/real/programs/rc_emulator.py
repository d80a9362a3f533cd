"""An emulator whose guest's memory is a shared mapping of a file that exists: writes to 2500 of its pages a second, at random. Argument: the file."""
import mmap
import os
import random
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("qemu-system-x86")
with open(sys.argv[1], "r+b") as file:
    size = os.fstat(file.fileno()).st_size
    memory = mmap.mmap(file.fileno(), size)
due = time.time()
while True:
    for _ in range(250):
        memory[random.randrange(size // 4096) * 4096] = random.randrange(256)
    due = max(due + 0.1, time.time() - 0.1)
    time.sleep(max(0, due - time.time()))
