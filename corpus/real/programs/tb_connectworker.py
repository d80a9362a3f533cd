"""A worker of connectors. The process that runs the tasks passes on 50 records a second. When the file /tmp/sink exists, it also runs a sink whose
records all belong to one output file: it holds MB a second of them until the file is complete, which it never is. If the process dies, a supervisor
starts it again, and the tasks are assigned anew after eight seconds. Prints in each second: clock, records passed on. Argument: MB a second."""
import os
import sys
import threading
import time

rate, passed = int(sys.argv[1]), [0]


def work(out):
    with open("/proc/self/comm", "w") as comm:
        comm.write("connect-worker")
    held, due = [], time.time()
    while True:
        os.write(out, b"r" * 5)
        if os.path.exists("/tmp/sink"):
            for _ in range(max(1, rate // 10)):
                held.append(bytearray(b"p") * 1048576)
        due = max(due + 0.1, time.time() - 0.1)
        time.sleep(max(0, due - time.time()))


def supervise():
    while True:
        source, out = os.pipe()
        child = os.fork()
        if not child:
            os.close(source)
            work(out)
        os.close(out)
        while part := os.read(source, 4096):
            passed[0] += len(part)
        os.close(source)
        os.waitpid(child, 0)
        time.sleep(8)


threading.Thread(target=supervise, daemon=True).start()
now, before = int(time.time()), 0
while True:
    time.sleep(max(0, now + 1 - time.time()))
    count = passed[0]
    print(now, count - before, flush=True)
    now, before = max(now + 1, int(time.time())), count
