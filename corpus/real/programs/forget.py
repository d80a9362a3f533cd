"""A backup program tells the kernel to forget the files of the database."""
import glob
import os
import time

while True:
    for name in glob.glob("/data/pg/base/*/*"):
        file = os.open(name, os.O_RDONLY)
        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(file)
    time.sleep(3)
