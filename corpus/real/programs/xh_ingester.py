"""An ingester of logs: six pushes a second, each of which is 2 KB in its write-ahead log and synced."""
import os

import g_steady

with open("/proc/self/comm", "w") as comm:
    comm.write("ingester")
os.makedirs("/data/loki", exist_ok=True)
wal = os.open("/data/loki/wal", os.O_CREAT | os.O_WRONLY | os.O_APPEND)


def push():
    os.write(wal, b"l" * 2048)
    os.fdatasync(wal)


g_steady.serve(push, 6)
