"""A model server under a supervisor: the child reads a model of so many MB into memory and serves 20 requests a second, each from a few of its rows; the
supervisor starts it again when it has died. Prints clock and requests, also while there is no child. Arguments: the file of the model, the MB."""
import mmap
import os
import random
import struct
import sys
import threading
import time

with open("/proc/self/comm", "w") as name:
    name.write("supervisor")
count = mmap.mmap(-1, 4096)


def child():
    with open("/proc/self/comm", "w") as name:
        name.write("modelserver")
    file, model = os.open(sys.argv[1], os.O_RDONLY), []
    for block in range(int(sys.argv[2])):
        model.append(bytearray(os.pread(file, 1 << 20, block << 20)))
    done = struct.unpack_from("q", count)[0]
    while True:
        for _ in range(20):
            random.choice(model)[random.randrange(1 << 19)]
        done += 1
        struct.pack_into("q", count, 0, done)
        time.sleep(0.05)


def log():
    last = 0
    while True:
        now = int(time.time())
        time.sleep(now + 1 - time.time())
        done = struct.unpack_from("q", count)[0]
        if done or last:
            print(now, done - last, flush=True)
        last = done


threading.Thread(target=log, daemon=True).start()
while True:
    process = os.fork()
    if not process:
        child()
    os.waitpid(process, 0)
    time.sleep(1)
