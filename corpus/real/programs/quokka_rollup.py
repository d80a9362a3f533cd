"""Every three seconds rolls up: holds the lock of the stock while it writes 3 MB around the page cache."""
import fcntl
import mmap
import os
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("rollup")
room = mmap.mmap(-1, 65536)
room.write(os.urandom(65536))
table = os.open("/data/rollup", os.O_CREAT | os.O_RDWR, 0o600)
for at in range(48):
    os.pwrite(table, bytes(room), at * 65536)
os.fsync(table)
table = os.open("/data/rollup", os.O_RDWR | os.O_DIRECT)
while True:
    lock = os.open("/tmp/stock.lock", os.O_CREAT | os.O_RDWR)
    fcntl.flock(lock, fcntl.LOCK_EX)
    for at in range(48):
        os.pwritev(table, [room], at * 65536)
    os.close(lock)
    time.sleep(3)
