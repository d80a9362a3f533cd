"""Expires old versions of objects: sixteen workers each write the metadata of an object to a new file of 1 KB, sync it, and rename it over the old one."""
import os
import threading

with open("/proc/self/comm", "w") as comm:
    comm.write("ilmscanner")
os.makedirs("/data/meta", exist_ok=True)


def expire(worker):
    count = 0
    while True:
        count += 1
        file = os.open(f"/data/meta/{worker}.tmp", os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
        os.write(file, b"v" * 1000)
        os.fsync(file)
        os.close(file)
        os.rename(f"/data/meta/{worker}.tmp", f"/data/meta/{worker}-{count % 100}")


for worker in range(16):
    threading.Thread(target=expire, args=(worker,)).start()
