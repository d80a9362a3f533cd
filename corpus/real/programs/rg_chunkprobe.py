"""The server of a deduplicating backup: for each block of a client it looks whether a file with the block's SHA-512 as its name exists already; of a
new client none does. Arguments: the folder, a number that tells its processes apart, how many names, names a second at most."""
import os
import sys
import time

folder, number, names, rate = sys.argv[1], *map(int, sys.argv[2:])
for part in range(256):
    os.makedirs(f"{folder}/{part:02x}", exist_ok=True)
with open("/proc/self/comm", "w") as comm:
    comm.write("backup-server")
value, asked, due = 0x9E3779B97F4A7C15 + number, 0, time.time()
while asked < names:
    for _ in range(rate // 50):
        value = value * 0xDA942042E4DD58B5 + number & (1 << 512) - 1
        digest = f"{value:0128x}"
        os.access(f"{folder}/{digest[:2]}/{digest}", os.F_OK)
    asked += rate // 50
    due = max(due + 0.02, time.time() - 0.1)
    time.sleep(max(0, due - time.time()))
time.sleep(10000)
