"""The next version of a model server loads its weights from the other disk, MB at MB/s, and waits for its turn. Arguments: MB, MB/s."""
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("inferd-next")
weights, size = [], int(sys.argv[1])
with open("/bulk/media/part2", "rb", 0) as file:
    while len(weights) < size:
        weights.append(file.read(1 << 20))
        time.sleep(1 / float(sys.argv[2]))
while True:
    sum(block[0] for block in weights)
    time.sleep(2)
