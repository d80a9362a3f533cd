"""A virtual machine whose disk goes through the page cache of its host backs itself up: it reads its images from beginning to end, again and again. Arguments:
the images. Prints nothing."""
import os
import sys

with open("/proc/self/comm", "w") as comm:
    comm.write("qemu-system-x86")
room = bytearray(1 << 20)
while True:
    for name in sys.argv[1:]:
        image = os.open(name, os.O_RDONLY)
        while os.readv(image, [room]):
            pass
        os.close(image)
