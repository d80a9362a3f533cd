"""A profiler that writes its samples, pieces of 128 KB, to a file as fast as it may. Argument: the file."""
import os
import sys

with open("/proc/self/comm", "w") as name:
    name.write("perf")
file, samples = os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY | os.O_APPEND), os.urandom(1 << 17)
while True:
    os.write(file, samples)
