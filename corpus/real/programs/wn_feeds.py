"""Serves feeds as JSON with three workers, four documents a second each. Once /tmp/upgraded exists the compiled encoder is missing, and each is encoded in plain
Python. Argument: the entries of a feed."""
import json
import json.encoder
import mmap
import os
import struct
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("feedd")
feed = [{"id": n, "title": f"item {n}", "price": n * 7, "tags": ["new", "sale"], "size": [n, n + 1, n + 2]} for n in range(int(sys.argv[1]))]
told = mmap.mmap(-1, 4096)


def work(number):
    due = time.time()
    while True:
        if json.encoder.c_make_encoder and os.path.exists("/tmp/upgraded"):
            json.encoder.c_make_encoder = None
        began = time.time()
        json.JSONEncoder().encode(feed)
        count, spent = struct.unpack_from("qd", told, number * 16)
        struct.pack_into("qd", told, number * 16, count + 1, spent + time.time() - began)
        due = max(due + 0.25, time.time() - 0.25)
        time.sleep(max(0, due - time.time()))


for number in range(3):
    if not os.fork():
        work(number)
last = (0, 0.0)
while True:
    time.sleep(1 - time.time() % 1)
    parts = [struct.unpack_from("qd", told, number * 16) for number in range(3)]
    count, spent = sum(part[0] for part in parts), sum(part[1] for part in parts)
    done = count - last[0]
    print(int(time.time()), done, *([round((spent - last[1]) / done * 1000, 1)] if done else []), flush=True)
    last = (count, spent)
