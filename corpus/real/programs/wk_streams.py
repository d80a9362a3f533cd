"""An instance of a stream application looks up its state, 15 requests a second, each 14 blocks of 4 KB at random in the first MB of its tables, which are in the
page cache. From when /tmp/go exists it gets more partitions: a store with 15 MB of write buffers and index for each, one a second. Arguments: the MB, the partitions."""
import os
import sys
import threading
import time

import h_hot
import vd_desk

with open("/proc/self/comm", "w") as name:
    name.write("streamsapp")
tables, stores = h_hot.Hot("/data/lite.db", int(sys.argv[1])), []


def rebalance():
    while not os.path.exists("/tmp/go"):
        time.sleep(0.2)
    for _ in range(int(sys.argv[2])):
        stores.append([bytearray(b"b") * (1 << 20) for _ in range(15)])
        time.sleep(1)
    while True:
        for store in stores:
            for buffer in store:
                buffer[::4096] = b"c" * 256
            time.sleep(0.2)


threading.Thread(target=rebalance, daemon=True).start()
vd_desk.serve(lambda: tables.read(14), 15, 2)
