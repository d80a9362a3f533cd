"""A notebook server that runs a small cell for each request: it maps 2 MB, fills them and gives them back. Argument: cells per second."""
import mmap
import sys
import threading
import time

rate = float(sys.argv[1])
with open("/proc/self/comm", "w") as comm:
    comm.write("kernelcell")
state = [bytearray(b"s") * 1048576 for _ in range(40)]
served = [0, 0.0]
lock = threading.Lock()


def report():
    now = int(time.time())
    while True:
        time.sleep(max(0.0, now + 1 - time.time()))
        with lock:
            done, took = served
            served[:] = [0, 0.0]
        print(now, done, *([round(took / done * 1000, 1)] if done else []), flush=True)
        now += 1


threading.Thread(target=report, daemon=True).start()
due = time.time()
while True:
    began = time.time()
    cell = mmap.mmap(-1, 2 << 20)
    for page in range(0, 2 << 20, 4096):
        cell[page] = 1
    cell.close()
    with lock:
        served[0] += 1
        served[1] += time.time() - began
    due = max(due + 1 / rate, time.time() - 1 / rate)
    time.sleep(max(0.0, due - time.time()))
