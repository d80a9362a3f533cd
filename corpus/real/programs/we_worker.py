"""A pricing worker and its supervisor, which is outside of the worker's group, logs, and starts it again 2 s after it ended.
Arguments: the group of the worker, MB of its tables, seconds that it takes to load them."""
import random
import subprocess
import sys
import threading
import time

group, size, load = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])


def work():
    with open("/proc/self/comm", "w") as comm:
        comm.write("pricing")
    tables = []
    for _ in range(size):
        tables.append(bytearray(b"t") * 1048576)
        time.sleep(load / size)
    due = time.time()
    while True:
        began = time.time()
        for _ in range(50):
            tables[random.randrange(size)][random.randrange(1048576)] = 1
        print(round((time.time() - began) * 1000, 2), flush=True)
        due = max(due + 0.05, time.time() - 0.05)
        time.sleep(max(0, due - time.time()))


def enter():
    with open(f"/sys/fs/cgroup/{group}/cgroup.procs", "w") as procs:
        procs.write("0")


def report():
    now, seen = int(time.time()), 0
    while True:
        time.sleep(max(0, now + 1 - time.time()))
        fresh = times[seen:]
        seen += len(fresh)
        print(now, len(fresh), *([round(sum(fresh) / len(fresh), 1)] if fresh else []), flush=True)
        now += 1


if len(sys.argv) > 4:
    work()
times = []
threading.Thread(target=report, daemon=True).start()
while True:
    worker = subprocess.Popen([sys.executable, *sys.argv, "worker"], stdout=subprocess.PIPE, text=True, preexec_fn=enter)
    for line in worker.stdout:
        times.append(float(line))
    worker.wait()
    time.sleep(2)
