"""A data loader that puts each batch, 5 MB twice a second, into a new file in /dev/shm; the trainer that has to unlink it has crashed, so
they stay. Ends when 40 MiB of files are cached."""
import os
import time

import room

with open("/proc/self/comm", "w") as comm:
    comm.write("dataloader")
batch, piece = 0, os.urandom(1 << 20)
while room.files() > 40:
    segment = os.open(f"/dev/shm/psm_{batch:06x}", os.O_CREAT | os.O_RDWR)
    for _ in range(5):
        os.write(segment, piece)
    os.close(segment)
    batch += 1
    time.sleep(0.4)
time.sleep(10000)
