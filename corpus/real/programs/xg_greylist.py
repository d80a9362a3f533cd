"""A greylisting policy server in a wave of spam: each unknown sender is a new triplet, a record that it appends to the log of its database and syncs before
it answers; each twentieth time it also writes four changed pages back. Argument: the folder of its database."""
import os
import random
import sys

with open("/proc/self/comm", "w") as name:
    name.write("greylist")
os.makedirs(sys.argv[1], exist_ok=True)
log = os.open(f"{sys.argv[1]}/log.0000000001", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
table = os.open(f"{sys.argv[1]}/postgrey.db", os.O_CREAT | os.O_RDWR)
os.ftruncate(table, 20 << 20)
count = 0
while True:
    os.write(log, os.urandom(180))
    os.fsync(log)
    count += 1
    if count % 20 == 0:
        for _ in range(4):
            os.pwrite(table, b"t" * 4096, random.randrange(5120) * 4096)
        os.fsync(table)
