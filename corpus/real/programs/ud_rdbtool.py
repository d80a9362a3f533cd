"""An analysis of a dump of redis that builds a table of all keys in memory, and goes through it again and again for its statistics.
Arguments: MB of the table, MB/s at which it is built. It prints nothing."""
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("rdb-tool")
table = []
for _ in range(int(sys.argv[1])):
    table.append(bytearray(b"k") * 1048576)
    time.sleep(1 / float(sys.argv[2]))
while True:
    for part in table:
        part[::4096] = b"s" * 256
    time.sleep(0.3)
