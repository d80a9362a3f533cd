"""Six tasks of a batch job that write what does not fit in their memory to files, as fast as they can, 300 MB each."""
import os
import time

os.makedirs("/data/spill", exist_ok=True)
for task in range(5):
    if os.fork() == 0:
        break
else:
    task = 5
rows = os.urandom(1 << 18)
with open(f"/data/spill/{task}", "wb", buffering=0) as file:
    for _ in range(1200):
        file.write(rows)
time.sleep(1000)
