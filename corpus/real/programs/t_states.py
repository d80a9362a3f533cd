"""A check of a monitoring agent: keeps its state in a file that it writes anew, syncs and renames after each check. Arguments: folder, number, pause."""
import os
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("nodecheck")
name = f"{sys.argv[1]}/state{sys.argv[2]}"
while True:
    with open(name + ".new", "wb") as file:
        file.write(os.urandom(6000))
        file.flush()
        os.fsync(file.fileno())
    os.rename(name + ".new", name)
    time.sleep(float(sys.argv[3]))
