"""An agent of CI with a heap of MB that handles 20 messages a second, in a process that is started again 6 s after it ended. Argument: the MB. Prints each
second clock, messages, and ms of one, and 0 while no agent runs."""
import os
import random
import select
import sys
import time


def agent(told):
    with open("/proc/self/comm", "w") as comm:
        comm.write("jenkins-agent")
    heap = [bytearray(b"h") * (1 << 20) for _ in range(int(sys.argv[1]))]
    due = time.time()
    while True:
        began = time.time()
        for _ in range(40):
            random.choice(heap)[random.randrange(256) << 12] = 1
        os.write(told, b"%08d" % min(99999999, int((time.time() - began) * 1e6)))
        due = max(due + 0.05, time.time() - 0.05)
        time.sleep(max(0, due - time.time()))


def start():
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read)
        try:
            agent(write)
        finally:
            os._exit(1)
    os.close(write)
    return pid, read


with open("/proc/self/comm", "w") as comm:
    comm.write("agent-service")
(pid, pipe), again, end, times = start(), 0.0, int(time.time()) + 1, []
while True:
    if pid == 0 and time.time() >= again:
        pid, pipe = start()
    left = max(0, end - time.time())
    if pid == 0:
        time.sleep(min(left, 0.2))
    elif select.select([pipe], [], [], left)[0]:
        got = os.read(pipe, 8)
        if got:
            times.append(int(got))
        else:
            os.waitpid(pid, 0)
            os.close(pipe)
            pid, again = 0, time.time() + 6
    if time.time() >= end:
        print(int(time.time()), len(times), *([round(sum(times) / len(times) / 1000, 1)] if times else []), flush=True)
        times, end = [], int(time.time()) + 1
