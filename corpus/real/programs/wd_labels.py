"""A tool keeps thumbnails as extended attributes of files in a tmpfs, 60 KB each, and removes none. Arguments: the folder, MiB, MiB/s."""
import os
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("labelled")
folder, most, rate = sys.argv[1], int(sys.argv[2]) * 16, float(sys.argv[3]) * 16
thumb, count, began = os.urandom(60000), 0, time.time()
while count < most:
    path = f"{folder}/f{count // 10}"
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY))
    try:
        os.setxattr(path, f"trusted.thumb{count % 10}", thumb)
    except OSError:
        time.sleep(0.2)
    count += 1
    time.sleep(max(0, began + count / rate - time.time()))
time.sleep(10000)
