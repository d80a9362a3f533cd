"""A compaction that writes merged tables as fast as it may, and syncs them after every 8 MB (trickle_fsync). Argument: the folder.
It prints nothing."""
import os
import sys

with open("/proc/self/comm", "w") as name:
    name.write("compactor")
os.makedirs(sys.argv[1], exist_ok=True)
piece, table = os.urandom(1 << 20), 0
while True:
    file = os.open(f"{sys.argv[1]}/table{table % 4}", os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
    for part in range(96):
        os.write(file, piece)
        if part % 8 == 7:
            os.fdatasync(file)
    os.close(file)
    table += 1
