"""A database server: 12 transactions a second write an undo record, the redo log and the binary log; from when /tmp/go exists each is synced."""
import os
import random

import vd_desk

with open("/proc/self/comm", "w") as name:
    name.write("txserver")
os.makedirs("/data/trx", exist_ok=True)
logs = [os.open(f"/data/trx/{name}", os.O_CREAT | os.O_WRONLY | os.O_APPEND) for name in ("undo", "redo", "binlog")]


def transaction():
    for log in logs:
        os.write(log, b"t" * random.randrange(300, 3000))
        if os.path.exists("/tmp/go"):
            os.fdatasync(log)


vd_desk.serve(transaction, 12, 2)
