"""A sink that counts the change records of a connector, and the connector: it starts for 3 s and then sends 25 records a second. From when /tmp/go exists
it first takes a snapshot of a table, with all rows in memory, 12 MB/s. The sink starts the connector again when it has died. Argument: the
control group of the connector. Prints clock and records of each second."""
import os
import sys
import threading
import time

count = 0


def connector(pipe):
    with open(f"/sys/fs/cgroup/{sys.argv[1]}/cgroup.procs", "w") as group:
        group.write(str(os.getpid()))
    with open("/proc/self/comm", "w") as comm:
        comm.write("connect-worker")
    rows = []
    time.sleep(3)
    while True:
        if os.path.exists("/tmp/go"):
            rows.append(b"r" * 1200000)
            time.sleep(0.1)
        else:
            os.write(pipe, b".")
            time.sleep(0.04)


def report():
    global count
    last = 0
    while True:
        time.sleep(1.001 - time.time() % 1)
        now = count
        print(int(time.time()) - 1, now - last, flush=True)
        last = now


threading.Thread(target=report, daemon=True).start()
while True:
    source, pipe = os.pipe()
    if not (child := os.fork()):
        connector(pipe)
    os.close(pipe)
    while got := os.read(source, 100):
        count += len(got)
    os.close(source)
    os.waitpid(child, 0)
