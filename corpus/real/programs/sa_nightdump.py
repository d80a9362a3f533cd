"""A nightly dump of a database writes rows of text to a file until it has MB, or until there is no room, and keeps it while it is sent away. Arguments: file, MB, MB a second."""
import os
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("mysqldump")
path, size, rate = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
file = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
rows = b"INSERT INTO `orders` VALUES (170442,'2025-11-03','shipped',18.90);\n" * 15650
due = time.time()
for _ in range(size):
    try:
        os.write(file, rows[: 1 << 20])
    except OSError:
        break
    due += 1 / rate
    time.sleep(max(0, due - time.time()))
time.sleep(10000)
