"""A training job saves a checkpoint to a folder every 10 s: it writes it 2 MB at a time, syncs it, and renames it over the last. Arguments: the
folder, MB of a checkpoint, MB/s."""
import os
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("torch_save")
folder, size, rate = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
tensor = os.urandom(2 << 20)
os.makedirs(folder, exist_ok=True)
while True:
    began = time.time()
    file = os.open(folder + "/last.pt.new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for _ in range(size // 2):
        os.write(file, tensor)
        time.sleep(2 / rate)
    os.fsync(file)
    os.close(file)
    os.rename(folder + "/last.pt.new", folder + "/last.pt")
    time.sleep(max(0, began + 10 - time.time()))
