"""Ten watchers of a folder that hang: none reads its events from when /tmp/go exists, while a pipeline sets the times of 2500 of its files in each second.
Their names are long, so an event takes 512 bytes of the kernel."""
import ctypes
import os
import threading
import time

with open("/proc/self/comm", "w") as name:
    name.write("filewatchd")
libc = ctypes.CDLL(None)
folder = "/run/inbox"
os.makedirs(folder, exist_ok=True)
names = [f"{folder}/{part:04d}{'n' * 236}" for part in range(40)]
for one in names:
    open(one, "w").close()
queues = [libc.inotify_init() for _ in range(10)]
for queue in queues:
    libc.inotify_add_watch(queue, folder.encode(), 4)


def read(queue):
    while not os.path.exists("/tmp/go"):
        os.read(queue, 1 << 20)
        time.sleep(0.2)


for queue in queues:
    threading.Thread(target=read, args=(queue,), daemon=True).start()
count, due = 0, time.time()
while True:
    rate = 2500 if os.path.exists("/tmp/go") else 50
    for _ in range(rate // 50):
        os.utime(names[count % 40])
        count += 1
    due = max(due + 0.02, time.time() - 0.5)
    time.sleep(max(0, due - time.time()))
