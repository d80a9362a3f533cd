"""A site of articles: 20 pages a second out of memory, by four workers; from when /tmp/go exists each view counts in three tables (the article, its day, where
the reader came from), and each count is synced by itself."""
import os
import random

import vd_desk

with open("/proc/self/comm", "w") as comm:
    comm.write("php-cms")
os.makedirs("/data/stats", exist_ok=True)
tables = [os.open(f"/data/stats/{name}", os.O_CREAT | os.O_RDWR) for name in ("article", "day", "referrer")]
for table in tables:
    os.pwrite(table, bytes(4 << 20), 0)
    os.fsync(table)


def view():
    "".join(str(part) for part in range(400))
    if os.path.exists("/tmp/go"):
        for table in tables:
            os.pwrite(table, os.urandom(16), random.randrange(1024) << 12)
            os.fsync(table)


vd_desk.serve(view, 20, 4)
