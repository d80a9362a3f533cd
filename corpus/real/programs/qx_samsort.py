"""A job that takes in 20 blocks of alignments a second; from when /run/sortnow exists, its threads also fill their sort buffers. Counts blocks in a
file. Arguments: the file, the threads, MB of a thread's buffer."""
import os
import sys
import threading
import time

with open("/proc/self/comm", "w") as name:
    name.write("samtools")
file, count, size = os.open(sys.argv[1], os.O_CREAT | os.O_RDWR), int(sys.argv[2]), int(sys.argv[3])


def fill():
    buffer = []
    while len(buffer) < size:
        buffer.append(bytearray(b"A") * (1 << 20))
        time.sleep(0.25)
    time.sleep(10000)


blocks, sorting, due = 0, False, time.time()
while True:
    blocks += 1
    os.pwrite(file, blocks.to_bytes(8, "little"), 0)
    if not sorting and os.path.exists("/run/sortnow"):
        sorting = True
        for _ in range(count):
            threading.Thread(target=fill, daemon=True).start()
    due = max(due + 0.05, time.time() - 0.05)
    time.sleep(max(0, due - time.time()))
