"""An agent that moves memory of containers to swap: asks the kernel for so many MiB of a group every second, without a look at what it does to the group.
Arguments: the group's folder, the MiB."""
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("offloadd")
while True:
    try:
        with open(f"{sys.argv[1]}/memory.reclaim", "w") as file:
            file.write(f"{sys.argv[2]}M")
    except OSError:
        pass
    time.sleep(1)
