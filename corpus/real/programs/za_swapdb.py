"""A replica of a store holds MiB of values and answers ten requests a second, each of which looks at 60 places of them. From when /tmp/go exists it loads the
data set of its new master beside the old one (repl-diskless-load swapdb), 20 MB a second, and puts its keys into a table, all over what it has loaded.
Arguments: MiB of the old set, MiB of the new one."""
import os
import random
import sys
import threading
import time

import g_steady

with open("/proc/self/comm", "w") as comm:
    comm.write("keyreplica")
MIB = 1 << 20


def touch(data, count):
    for _ in range(count):
        data[random.randrange(len(data))][random.randrange(256) << 12] ^= 1


def load(size):
    while not os.path.exists("/tmp/go"):
        time.sleep(0.2)
    new = []
    while True:
        if len(new) < size:
            new.append(bytearray(b"n") * MIB)
        touch(new, 100)
        time.sleep(0.05)


old = [bytearray(b"o") * MIB for _ in range(int(sys.argv[1]))]
threading.Thread(target=load, args=(int(sys.argv[2]),), daemon=True).start()
g_steady.serve(lambda: touch(old, 60), 10)
