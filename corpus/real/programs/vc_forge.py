"""A forge of repositories loads its tables for eight seconds and then answers 20 pages a second. Argument: MiB of tables."""
import random
import sys
import time

import pace

tables = []
for _ in range(int(sys.argv[1])):
    tables.append(bytearray(b"f") * 1048576)
    time.sleep(8 / int(sys.argv[1]))
pace.serve(lambda: sum(random.choice(tables)[::4096]), interval=0.05)
