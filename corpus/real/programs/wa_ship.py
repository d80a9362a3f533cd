"""Ships a log: threads read parts of a file in sequence, together at MB/s (0: as fast as they can). Arguments: name, file, threads, MB/s."""
import os
import sys
import threading
import time

with open("/proc/self/comm", "w") as name:
    name.write(sys.argv[1])
file, count, rate = os.open(sys.argv[2], os.O_RDONLY), int(sys.argv[3]), float(sys.argv[4])
part = os.fstat(file).st_size // count >> 18


def ship(thread):
    began = time.time()
    for number in range(part):
        os.pread(file, 1 << 18, (thread * part + number) << 18)
        if rate:
            time.sleep(max(0, began + number * count / rate / 4 - time.time()))


for thread in range(count):
    threading.Thread(target=ship, args=(thread,)).start()
