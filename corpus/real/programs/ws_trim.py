"""An agent of a scheduler that wants room for jobs to come: reclaims MB from a group every two seconds. Arguments: the group, the MB."""
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("packing-agent")
while True:
    try:
        with open(f"/sys/fs/cgroup/{sys.argv[1]}/memory.reclaim", "w") as file:
            file.write(sys.argv[2] + "M")
    except OSError:
        pass
    time.sleep(2)
