"""A gateway of devices starts a thread for each device that connects, which waits for its next message. Arguments: the threads, threads a second."""
import sys
import threading
import time

with open("/proc/self/comm", "w") as name:
    name.write("iotgateway")
threading.stack_size(1 << 18)


def touch(depth):
    return depth and touch(depth - 1)


def device():
    touch(60)
    time.sleep(100000)


due = time.time()
for _ in range(int(sys.argv[1])):
    threading.Thread(target=device, daemon=True).start()
    due = max(due + 1 / float(sys.argv[2]), time.time() - 1)
    time.sleep(max(0, due - time.time()))
time.sleep(10000)
