"""An idle server of a build tool: holds the graph of the last build, of MB, and waits for the next. Argument: the MB."""
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("bazel")
graph = [bytearray(b"g") * (1 << 20) for _ in range(int(sys.argv[1]))]
time.sleep(10000)
