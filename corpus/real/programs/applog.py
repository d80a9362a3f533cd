"""Five programs append records of 2 KB and sync the data of each."""
import os
import sys

file = os.open(f"/data/log{sys.argv[1]}", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
while True:
    os.write(file, bytes(2000))
    os.fdatasync(file)
