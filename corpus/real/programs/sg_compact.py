"""A mail program compacts a folder: it copies the messages of an mbox file into a new file, `nstmp`, through the page cache, and renames it to the folder's
name. With `make` before the file it only makes the folder. Arguments: [make] the file, the MiB."""
import os
import sys

MESSAGE = 48 << 10
make = sys.argv[1] == "make"
inbox, size = sys.argv[-2], int(sys.argv[-1]) << 20
if make:
    os.makedirs(os.path.dirname(inbox), exist_ok=True)
    with open(inbox, "wb") as file:
        for _ in range(size // MESSAGE):
            file.write(os.urandom(4096) * 12)
        file.flush()
        os.fsync(file.fileno())
    sys.exit()
with open("/proc/self/comm", "w") as comm:
    comm.write("thunderbird")
new = os.path.dirname(inbox) + "/nstmp"
with open(inbox, "rb") as old, open(new, "wb") as file:
    while message := old.read(MESSAGE):
        file.write(message)
os.rename(new, inbox)
