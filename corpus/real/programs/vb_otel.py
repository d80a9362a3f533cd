"""A collector of traces whose exporter fails: keeps them all, 20 MB more each second."""
import time

with open("/proc/self/comm", "w") as name:
    name.write("otelcol")
queue = []
while True:
    queue.append(b"s" * 1048576)
    time.sleep(0.05)
