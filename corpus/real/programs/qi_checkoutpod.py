"""A pod with a heap, and who asks it: the pod answers 20 requests a second, each of which takes 512 KB for a while and gives it back. Once /tmp/go exists each also
keeps 256 KB, until the heap has its largest size. The parent, outside of the pod's group, prints clock, requests and ms of each. Arguments: the group, the MB of the
heap at first, the MB in the end."""
import mmap
import os
import struct
import sys
import time

group, first, most = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
served = mmap.mmap(-1, 4096)
served[:16] = bytes(16)


def pod():
    with open(f"/sys/fs/cgroup/{group}/cgroup.procs", "w") as procs:
        procs.write("0")
    with open("/proc/self/comm", "w") as comm:
        comm.write("checkout")
    heap = [bytearray(b"c") * (1 << 18) for _ in range(first * 4)]
    count, took, due = 0, 0.0, time.time()
    while True:
        began = time.time()
        cart = mmap.mmap(-1, 1 << 19, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        cart[::4096] = b"t" * 128
        heap[count % len(heap)][::4096] = cart[:1] * 64
        cart.close()
        if len(heap) < most * 4 and os.path.exists("/tmp/go"):
            heap.append(bytearray(b"k") * (1 << 18))
        count, took = count + 1, took + time.time() - began
        struct.pack_into("qd", served, 0, count, took)
        due = max(due + 0.05, time.time() - 0.05)
        time.sleep(max(0, due - time.time()))


if not os.fork():
    pod()
last = (0, 0.0)
while True:
    time.sleep(1 - time.time() % 1)
    now = struct.unpack("qd", served[:16])
    done = now[0] - last[0]
    print(int(time.time()), done, *([round((now[1] - last[1]) / done * 1000, 1)] if done else []), flush=True)
    last = now
