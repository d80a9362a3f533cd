"""Serves (or compacts) the layers of images that this node has to new nodes: reads files from beginning to end, one after another, at up to MB/s. Arguments: the MB/s,
the files."""
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("spegel")
pause, due = 1 / float(sys.argv[1]), time.time()
while True:
    for path in sys.argv[2:]:
        with open(path, "rb", buffering=0) as layer:
            while layer.read(1 << 20):
                due = max(due + pause, time.time() - 0.2)
                time.sleep(max(0, due - time.time()))
