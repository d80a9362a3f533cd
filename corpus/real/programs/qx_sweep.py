"""Trials of a sweep, each of which reports a metric at every step: it appends to its history and writes its summary anew, and syncs both files.
Prints nothing. Arguments: the folder, the trials, seconds of a step."""
import json
import os
import sys
import time

os.makedirs(sys.argv[1], exist_ok=True)
for trial in range(int(sys.argv[2]) - 1):
    if not os.fork():
        break
with open("/proc/self/comm", "w") as name:
    name.write("trial")
folder = f"{sys.argv[1]}/{os.getpid()}"
os.makedirs(folder)
history, step = open(f"{folder}/history.jsonl", "a"), 0
while True:
    step += 1
    history.write(json.dumps({"step": step, "loss": 1 / step, "reward": step % 17, "time": time.time()}) + "\n")
    history.flush()
    os.fsync(history.fileno())
    with open(f"{folder}/summary.json", "w") as summary:
        json.dump({f"metric{n}": step / (n + 1) for n in range(30)}, summary)
        summary.flush()
        os.fsync(summary.fileno())
    time.sleep(float(sys.argv[3]))
