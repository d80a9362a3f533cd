"""Records the video of cameras: 16 chunks of 128 KB a second into a ring of four files of 16 MB, and syncs nothing."""
import os

import pace

with open("/proc/self/comm", "w") as name:
    name.write("nvr")
os.makedirs("/data/nvr", exist_ok=True)
files = [os.open(f"/data/nvr/{number}", os.O_CREAT | os.O_WRONLY) for number in range(4)]
chunk, count = os.urandom(131072), 0


def record():
    global count
    os.pwrite(files[count // 128 % 4], chunk, count % 128 * 131072)
    count += 1


pace.serve(record, interval=1 / 16)
