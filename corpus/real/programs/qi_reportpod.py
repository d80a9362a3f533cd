"""A pod of reports and its kubelet, which starts it in a group, restarts it two seconds after it died, and prints in each second clock and requests served.
The pod builds 45 MB of memory and then answers 20 requests a second; once /tmp/go exists each of them leaves 450 KB in /dev/shm. Argument: the group."""
import mmap
import os
import struct
import sys
import time

group, served = sys.argv[1], mmap.mmap(-1, 4096)
served[:8] = bytes(8)


def pod():
    with open(f"/sys/fs/cgroup/{group}/cgroup.procs", "w") as procs:
        procs.write("0")
    with open("/proc/self/comm", "w") as comm:
        comm.write("reportpod")
    heap = [bytearray(b"h") * (1 << 20) for _ in range(45)]
    count, due = struct.unpack("q", served[:8])[0], time.time()
    while True:
        heap[count % 45][::4096] = b"r" * 256
        if os.path.exists("/tmp/go"):
            with open(f"/dev/shm/report{count}", "wb") as report:
                report.write(bytes(450000))
        count += 1
        served[:8] = struct.pack("q", count)
        due = max(due + 0.05, time.time() - 0.05)
        time.sleep(max(0, due - time.time()))


child, again, last = 0, 0, 0
while True:
    if child and os.waitpid(child, os.WNOHANG)[0]:
        child, again = 0, time.time() + 2
    if not child and time.time() >= again:
        child = os.fork()
        if not child:
            pod()
    time.sleep(1 - time.time() % 1)
    count = struct.unpack("q", served[:8])[0]
    print(int(time.time()), count - last, flush=True)
    last = count
