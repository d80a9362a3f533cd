"""A sort in memory fills its buffers with records that come down a pipe, and holds them. Prints nothing. Arguments: MB of the buffers, MB/s."""
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("samsort")
buffers, began = [], time.time()
for n in range(int(sys.argv[1])):
    buffers.append(bytearray(b"r") * 1048576)
    time.sleep(max(0, began + (n + 1) / float(sys.argv[2]) - time.time()))
while True:
    for buffer in buffers[::4]:
        buffer[::4096] = b"s" * 256
        time.sleep(0.05)
