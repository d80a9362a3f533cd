"""A store of sorted runs, written and merged with direct IO as with use_direct_io_for_flush_and_compaction. It gets 20 puts a second of 16 KB, of 128 KB when
/tmp/go exists; 2 MB of them are flushed to a file of level 0, and four or more of these are merged with the 60 MB of level 1. Puts are stopped at eight files
of level 0. Prints clock, puts and ms of a put each second. Arguments: folder, MB of level 1 (60)."""
import mmap
import os
import sys
import threading
import time

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("lsmput")
folder, base = sys.argv[1], int((sys.argv[2:] or ["60"])[0])
os.makedirs(folder, exist_ok=True)
state = threading.Condition()
memtable, full, level0, serial = 0, 0, [], 0


def block():
    area = mmap.mmap(-1, 524288)
    area.write(os.urandom(524288))
    return area


def write(path, blocks, area):
    file = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_DIRECT)
    for at in range(blocks):
        os.pwrite(file, area, at * 524288)
    os.fsync(file)
    os.close(file)


def read(path, area):
    file, at = os.open(path, os.O_RDONLY | os.O_DIRECT), 0
    while os.preadv(file, [area], at):
        at += 524288
    os.close(file)


def flush():
    global full, serial
    area = block()
    while True:
        with state:
            state.wait_for(lambda: full)
            serial += 1
            path = f"{folder}/l0-{serial}"
        write(path, 4, area)
        with state:
            full -= 1
            level0.append(path)
            state.notify_all()


def compact():
    area = block()
    while True:
        with state:
            state.wait_for(lambda: len(level0) >= 4)
            inputs = list(level0)
        for path in [*inputs, f"{folder}/l1"]:
            read(path, area)
        write(f"{folder}/l1.new", base * 2, area)
        os.rename(f"{folder}/l1.new", f"{folder}/l1")
        for path in inputs:
            os.unlink(path)
        with state:
            del level0[: len(inputs)]
            state.notify_all()


def put():
    global memtable, full
    memtable += 131072 if os.path.exists("/tmp/go") else 16384
    if memtable >= 2 << 20:
        with state:
            state.wait_for(lambda: full < 2 and len(level0) < 8)
            memtable, full = 0, full + 1
            state.notify_all()


write(f"{folder}/l1", base * 2, block())
for work in (flush, compact):
    threading.Thread(target=work, daemon=True).start()
g_steady.serve(put, 20)
