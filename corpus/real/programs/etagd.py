"""A server of videos which a crawler asks for all of them: it reads each piece for the ETag and again to send it. Argument: MiB/s."""
import hashlib
import os
import sys
import time

open("/proc/self/comm", "w").write("etagd")
due = time.time()
while True:
    for part in range(1, 7):
        file = os.open(f"/bulk/media/part{part}", os.O_RDONLY)
        for at in range(0, 200 << 20, 1 << 20):
            tag = hashlib.md5(os.pread(file, 1 << 20, at)[:4096])
            os.pread(file, 1 << 20, at)
            due = max(due + 1 / float(sys.argv[1]), time.time() - 1)
            time.sleep(max(0, due - time.time()))
        os.close(file)
