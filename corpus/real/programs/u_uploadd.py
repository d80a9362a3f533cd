"""Takes four uploads at once, as fast as they are written: files of 150 MB."""
import os
import threading

with open("/proc/self/comm", "w") as name:
    name.write("uploadd")
part = os.urandom(1 << 20)


def take(number):
    file = os.open(f"/data/upload{number}", os.O_CREAT | os.O_WRONLY)
    at = 0
    while True:
        os.pwrite(file, part, at % 150 << 20)
        at += 1


for number in range(4):
    threading.Thread(target=take, args=(number,)).start()
