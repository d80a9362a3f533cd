"""A simulation: goes over its field of so many MB again and again, 2 MB in each step and at most 20 steps a second. Prints clock, steps and ms of each.
Argument: the MB."""
import sys
import threading
import time

with open("/proc/self/comm", "w") as name:
    name.write("meep")
field = [bytearray(b"\1") * (1 << 21) for _ in range(int(sys.argv[1]) // 2)]
served = []


def log():
    while True:
        now = int(time.time())
        time.sleep(now + 1 - time.time())
        took, served[:] = served[:], []
        print(now, len(took), *([round(sum(took) / len(took) * 1000, 1)] if took else []), flush=True)


threading.Thread(target=log, daemon=True).start()
due, step = time.time(), 0
while True:
    began = time.time()
    field[step % len(field)][::4096] = bytes([step % 250]) * 512
    step += 1
    served.append(time.time() - began)
    due = max(due + 0.05, time.time() - 0.05)
    time.sleep(max(0, due - time.time()))
