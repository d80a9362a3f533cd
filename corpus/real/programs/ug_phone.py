"""Phones send their photos to a share: each has a process of the file server, which writes files of 4 MB in pieces of 64 KB as fast as the disk takes
them, up to 400 of them. Arguments: the folder, the phones. Prints nothing."""
import os
import sys

with open("/proc/self/comm", "w") as comm:
    comm.write("smbd")
for phone in range(int(sys.argv[2])):
    if os.fork() == 0:
        folder, piece = f"{sys.argv[1]}/{phone}", os.urandom(65536)
        os.makedirs(folder, exist_ok=True)
        for number in range(400):
            photo = os.open(f"{folder}/{number}", os.O_CREAT | os.O_WRONLY)
            for _ in range(64):
                os.write(photo, piece)
            os.close(photo)
        sys.exit()
while True:
    try:
        os.wait()
    except ChildProcessError:
        break
