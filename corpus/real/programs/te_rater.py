"""A rating engine that takes records of calls from a backlog: each of its workers writes one rated record and syncs it, and takes the next. Arguments: a
folder, workers."""
import os
import sys
import threading

with open("/proc/self/comm", "w") as name:
    name.write("ratingd")
os.makedirs(sys.argv[1], exist_ok=True)


def work(number):
    file = os.open(f"{sys.argv[1]}/rated{number}", os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o644)
    while True:
        os.write(file, b"4930123;peak;0.0215;EUR;1;" * 8)
        os.fdatasync(file)


for number in range(int(sys.argv[2])):
    threading.Thread(target=work, args=(number,)).start()
