"""A build tool watches a folder by 64 inotify instances and hangs. When /tmp/go exists a build makes files there,
and each event is queued for each instance, until 35 MiB of files are cached."""
import ctypes
import os
import time

import room

with open("/proc/self/comm", "w") as comm:
    comm.write("watchman")
libc, folder = ctypes.CDLL(None, use_errno=True), b"/tmp/build"
os.makedirs(folder, exist_ok=True)
for _ in range(64):
    instance = libc.inotify_init1(0)
    if instance < 0 or libc.inotify_add_watch(instance, folder, 0xFFF) < 0:
        raise OSError(ctypes.get_errno(), "inotify")
open("/tmp/watched", "w").close()
while not os.path.exists("/tmp/go"):
    time.sleep(0.2)
names = [folder + b"/" + b"%03d" % n + b"m" * 235 for n in range(40)]
while room.files() > 35:
    # Some 12 MB a second at most: an open and a close are 128 events of 512 bytes.
    due = time.time() + 0.2
    for name in names:
        os.close(os.open(name, os.O_CREAT | os.O_WRONLY))
    time.sleep(max(0, due - time.time()))
time.sleep(10000)
