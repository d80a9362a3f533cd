"""Checkpoints of a streaming job: every 8 s each subtask writes its state into a new file, syncs it, and deletes the one before.
Arguments: the folder, subtasks, MB of the state of one. Prints nothing."""
import os
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("flink-task")
number, state = 0, os.urandom(65536) * 16
while number < int(sys.argv[2]) - 1 and os.fork():
    number += 1
done, last = 0, None
while True:
    due = time.time() + 8
    path = f"{sys.argv[1]}/chk-{done}-{number}"
    file = os.open(path, os.O_CREAT | os.O_WRONLY)
    for _ in range(int(sys.argv[3])):
        os.write(file, state)
    os.fsync(file)
    os.close(file)
    if last:
        os.unlink(last)
    done, last = done + 1, path
    time.sleep(max(0, due - time.time()))
