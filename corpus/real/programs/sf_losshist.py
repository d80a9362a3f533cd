"""A training loop makes ten steps a second and adds up the loss without detaching it, so that the graph of each step stays in memory. Prints nothing. Argument:
MB/s that stay."""
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("train_gnn")
kept, size, due = [], int(float(sys.argv[1]) * 104858), time.time()
while True:
    graph = bytearray(size)
    graph[::2048] = b"g" * len(range(0, size, 2048))
    kept.append(graph)
    due = max(due + 0.1, time.time() - 0.1)
    time.sleep(max(0, due - time.time()))
