"""Tasks of a stage that spill what they sort to files of 32 MB, which nobody syncs. Arguments: the folder; the tasks; the files of each."""
import os
import sys

open("/proc/self/comm", "w").write("Executor task")
folder, tasks, files = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
os.makedirs(folder, exist_ok=True)
for task in range(tasks):
    if task == tasks - 1 or not os.fork():
        break
block = os.urandom(1048576)
for number in range(files):
    with open(f"{folder}/temp_shuffle_{task}_{number}", "wb", buffering=0) as file:
        for _ in range(32):
            file.write(block)
