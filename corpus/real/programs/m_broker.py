"""A message broker above its memory watermark pages the messages of its queues to the disk, 25 MB/s in segments of 16 MB; it syncs nothing."""
import os
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("beam.smp")
os.makedirs("/data/msg_store", exist_ok=True)
block = os.urandom(1 << 19)
for segment in range(60):
    file = os.open(f"/data/msg_store/{segment}.rdq", os.O_CREAT | os.O_WRONLY)
    for _ in range(32):
        os.write(file, block)
        time.sleep(0.02)
    os.close(file)
time.sleep(10000)
