"""Builds again and again with three compilers at a time, and with eight from when /tmp/go exists; each takes 24 MB for its unit. When one was killed
the build has failed, the others are stopped, and the job starts over after three seconds. Prints in each second how many units were compiled."""
import os
import signal
import threading
import time

done = 0


def report():
    global done
    while True:
        time.sleep(1 - time.time() % 1)
        count, done = done, 0
        print(int(time.time()), count, flush=True)


def compile_unit():
    with open("/proc/self/comm", "w") as name:
        name.write("cc1plus")
    tree = []
    for _ in range(24):
        tree.append(bytearray(b"t") * (1 << 20))
        time.sleep(0.01)
    os._exit(0)


threading.Thread(target=report, daemon=True).start()
running = set()
while True:
    while len(running) < (8 if os.path.exists("/tmp/go") else 3):
        if (child := os.fork()) == 0:
            compile_unit()
        running.add(child)
    child, status = os.wait()
    running.remove(child)
    if status == 0:
        done += 1
        continue
    for other in running:
        os.kill(other, signal.SIGKILL)
    while running:
        running.remove(os.wait()[0])
    time.sleep(3)
