"""Installs packages in a container: some workers write files of 2 MiB and sync each, as package managers do. Prints nothing. Arguments: the folder,
the workers, the seconds."""
import os
import sys
import threading
import time

with open("/proc/self/comm", "w") as name:
    name.write("apk")
os.makedirs(sys.argv[1], exist_ok=True)
end = time.time() + float(sys.argv[3])


def install(number):
    done = 0
    while time.time() < end:
        with open(f"{sys.argv[1]}/{number}-{done % 20}", "wb") as out:
            out.write(b"p" * (2 << 20))
            out.flush()
            os.fsync(out.fileno())
        done += 1


for number in range(int(sys.argv[2])):
    threading.Thread(target=install, args=(number,)).start()
