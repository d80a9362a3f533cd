"""A task worker without a prefetch limit takes MiB of tasks from its queue, 25 MB/s, and looks through all of them for the next due one.
Argument: the MiB."""
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("celery")
tasks = []
for _ in range(int(sys.argv[1])):
    tasks.append(bytearray(b"t") * 1048576)
    time.sleep(0.04)
while True:
    for task in tasks:
        task[::4096] = b"d" * 256
    time.sleep(0.1)
