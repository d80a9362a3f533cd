"""A shop's PHP: a master that starts a worker again when it ends, and a worker that loads the catalogue, MB at MB a second, and then serves 15 pages a second
from it. Arguments: the MB, MB a second. Prints clock, pages and ms of each once a second, and 0 while there is no worker."""
import random
import subprocess
import sys
import threading
import time

done, took = 0, 0.0


def report():
    global done, took
    while True:
        time.sleep(1 - time.time() % 1)
        count, spent, done, took = done, took, 0, 0.0
        print(int(time.time()), count, *([round(spent / count, 1)] if count else []), flush=True)


def worker():
    with open("/proc/self/comm", "w") as name:
        name.write("php-fpm")
    catalogue = []
    for _ in range(int(sys.argv[1])):
        catalogue.append(bytearray(b"p") * 1048576)
        time.sleep(1 / float(sys.argv[2]))
    due = time.time()
    while True:
        began = time.time()
        for _ in range(200):
            random.choice(catalogue)[random.randrange(1 << 20)] ^= 1
        print((time.time() - began) * 1000, flush=True)
        due = max(due + 1 / 15, time.time() - 1 / 15)
        time.sleep(max(0, due - time.time()))


if len(sys.argv) > 3:
    worker()
threading.Thread(target=report, daemon=True).start()
while True:
    child = subprocess.Popen([sys.executable, __file__, *sys.argv[1:3], "worker"], stdout=subprocess.PIPE, text=True)
    for line in child.stdout:
        done, took = done + 1, took + float(line)
    child.wait()
    time.sleep(1)
