"""An ingester of logs in a group of its own, and the one that starts it again when it ends. It serves 30 pushes a second. As soon as /tmp/burst
exists, each push brings new streams, for which it keeps 0.7 MB; a restarted ingester first replays its log of 120 MB and serves nothing meanwhile.
Arguments: the group's folder; MB at first. Prints in each second the clock and the pushes served, also while no ingester runs."""
import mmap
import os
import sys
import time

group, first = sys.argv[1], int(sys.argv[2])
counter = mmap.mmap(-1, 4096)


def ingest(replay):
    with open(group + "/cgroup.procs", "w") as procs:
        procs.write(str(os.getpid()))
    with open("/proc/self/comm", "w") as comm:
        comm.write("ingester")
    streams = []
    for _ in range(replay):
        streams.append(bytearray(b"\1log") * 262144)
        if replay > first:
            time.sleep(0.04)
    due = time.time()
    while True:
        if os.path.exists("/tmp/burst"):
            streams.append(bytearray(b"\1log") * 180000)
        counter[:8] = (int.from_bytes(counter[:8], "little") + 1).to_bytes(8, "little")
        due = max(due + 1 / 30, time.time() - 0.1)
        time.sleep(max(0.0, due - time.time()))


def report():
    now, last = int(time.time()), 0
    while True:
        time.sleep(max(0.0, now + 1 - time.time()))
        total = int.from_bytes(counter[:8], "little")
        print(now, total - last, flush=True)
        now, last = now + 1, total


os.makedirs(group, exist_ok=True)
replay, child = first, 0
# The report is a process of its own, so that no thread holds a lock at a fork.
reporter = os.fork()
if reporter == 0:
    report()
while True:
    child = os.fork()
    if child == 0:
        ingest(replay)
    os.waitpid(child, 0)
    replay = first + 120
    time.sleep(2)
