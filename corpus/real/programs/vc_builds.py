"""A runner of builds does two small builds a second; the linker takes 16 MB for one. From when /tmp/go exists it needs 300 MB (debug
information, LTO). A build whose linker was killed is not counted, and is tried again."""
import os
import time


def link(size):
    with open("/proc/self/comm", "w") as comm:
        comm.write("ld")
    held = []
    for _ in range(size):
        held.append(bytearray(b"o") * 1048576)
    os._exit(0)


done, took, second = 0, 0.0, int(time.time())
while True:
    began = time.time()
    child = os.fork()
    if child == 0:
        link(300 if os.path.exists("/tmp/go") else 16)
    done += os.waitpid(child, 0)[1] == 0
    took += time.time() - began
    time.sleep(max(0, began + 0.5 - time.time()))
    if int(time.time()) != second:
        print(second, done, round(took / max(1, done) * 1000, 1), flush=True)
        done, took, second = 0, 0.0, int(time.time())
