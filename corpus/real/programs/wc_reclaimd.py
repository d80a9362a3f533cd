"""An agent that keeps a group of the host lean: it asks the kernel to take so many MB from the group. Arguments: the group, MB, seconds between."""
import sys
import time

group, amount, pause = sys.argv[1], sys.argv[2], float(sys.argv[3])
with open("/proc/self/comm", "w") as comm:
    comm.write("reclaimd")
while True:
    try:
        with open(f"/sys/fs/cgroup/{group}/memory.reclaim", "w") as file:
            file.write(f"{amount}M")
    except OSError:
        pass  # Less than asked for was found.
    time.sleep(pause)
