"""A broker's partition: appends KB ten times a second to segments of 64 MB, of which it keeps three, and reads each back for a consumer. It syncs nothing.
Arguments: the folder, the KB."""
import os
import sys

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("kafkabroker")
folder, batch = sys.argv[1], os.urandom(1024 * int(sys.argv[2]))
os.makedirs(folder, exist_ok=True)
number, at, log = 0, 0, os.open(f"{folder}/0.log", os.O_CREAT | os.O_RDWR)


def append():
    global number, at, log
    os.pwrite(log, batch, at)
    os.pread(log, len(batch), at)
    at += len(batch)
    if at > 64 << 20:
        os.close(log)
        number, at = number + 1, 0
        if number > 2:
            os.remove(f"{folder}/{number - 3}.log")
        log = os.open(f"{folder}/{number}.log", os.O_CREAT | os.O_RDWR)


g_steady.serve(append, 10)
