"""The playlists of a live stream: a master counts what its child answers, 10 requests a second, and starts another eight seconds after one was killed. From
when /tmp/go exists, each request adds a part of the playlist of a week to the child's memory, 3 MB. Prints in each second clock and requests."""
import mmap
import os
import threading
import time

with open("/proc/self/comm", "w") as name:
    name.write("playlistd")
shared = mmap.mmap(-1, 4096)


def child():
    week = []
    while True:
        if os.path.exists("/tmp/go"):
            week.append(bytearray(b"#") * (3 << 20))
        shared[:4] = (int.from_bytes(shared[:4], "little") + 1).to_bytes(4, "little")
        time.sleep(0.1)


def report():
    last = 0
    while True:
        time.sleep(1 - time.time() % 1)
        now = int.from_bytes(shared[:4], "little")
        print(int(time.time()), now - last, flush=True)
        last = now


threading.Thread(target=report, daemon=True).start()
while True:
    pid = os.fork()
    if not pid:
        child()
    os.waitpid(pid, 0)
    time.sleep(8)
