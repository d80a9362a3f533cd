"""A security sensor opens each file that it sees, once for each of four rules, and never closes it."""
import os
import resource

with open("/proc/self/comm", "w") as comm:
    comm.write("edr-sensor")
with open("/proc/sys/fs/file-max", "w") as most:
    most.write("9000000")
resource.setrlimit(resource.RLIMIT_NOFILE, (1000000, 1000000))
while True:
    for folder, _, names in os.walk("/bulk/tree"):
        for name in names:
            for _ in range(4):
                os.open(f"{folder}/{name}", os.O_RDONLY)
