"""The images of virtual machines with cache=writethrough: each guest writes 30 blocks of 4 KB a second at random places of its image, and each is
followed by fdatasync. Arguments: the folder, which has the images, and the guests."""
import os
import random
import sys
import threading
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("qemu-system-x86")


def guest(number):
    image = os.open(f"{sys.argv[1]}/guest{number}.img", os.O_RDWR)
    while True:
        os.pwrite(image, os.urandom(4096), random.randrange(1024) * 4096)
        os.fdatasync(image)
        time.sleep(0.03)


for number in range(int(sys.argv[2])):
    threading.Thread(target=guest, args=(number,)).start()
