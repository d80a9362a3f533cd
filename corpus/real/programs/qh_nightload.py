"""A nightly load writes the files of its new partition at 12 MB a second, and syncs each when it is complete."""
import os
import time

open("/proc/self/comm", "w").write("dwh-load")
rows = os.urandom(1 << 20)
due = time.time()
for part in range(6):
    with open(f"/bulk/partition{part}", "wb", 0) as file:
        for _ in range(80):
            file.write(rows)
            due = max(due + 1 / 12, time.time() - 1)
            time.sleep(max(0, due - time.time()))
        os.fsync(file.fileno())
