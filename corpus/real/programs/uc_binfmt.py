"""A build of an image for another architecture: so many compilers, each of which an emulator runs and which does nothing but compute. Argument: how many. Prints
nothing."""
import os
import sys

for _ in range(int(sys.argv[1])):
    if os.fork() == 0:
        with open("/proc/self/comm", "w") as name:
            name.write("qemu-aarch64")
        value = 1
        while True:
            for n in range(20000):
                value = value * 31 % 1000003
os.wait()
