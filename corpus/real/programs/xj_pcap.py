"""A capture of all packets that was left on: writes 64 KB at a time at up to 10 MB/s, into a new file after each 100 MB. Argument: the folder."""
import os
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("tcpdump")
os.makedirs(sys.argv[1], exist_ok=True)
packets, due = os.urandom(1 << 16), time.time()
for number in range(1000):
    with open(f"{sys.argv[1]}/all.pcap{number}", "wb", buffering=0) as file:
        for _ in range(1600):
            file.write(packets)
            due = max(due + 1 / 160, time.time() - 0.2)
            time.sleep(max(0, due - time.time()))
