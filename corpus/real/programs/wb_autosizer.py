"""An autosizer probes how little memory a group needs: every 9 s it sets memory.high low for a second, and lifts it again. Arguments: group, MB."""
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("autosizer")
high = f"/sys/fs/cgroup/{sys.argv[1]}/memory.high"
while True:
    for value in (f"{sys.argv[2]}M", "max"):
        with open(high, "w") as file:
            file.write(value)
        time.sleep(1 if value != "max" else 8)
