"""An importer writes the six disks of a virtual machine at once, past the page cache, half a MB a request."""
import mmap
import os

with open("/proc/self/comm", "w") as name:
    name.write("qemu-img")
disk, block = 0, mmap.mmap(-1, 1 << 19)
while disk < 5 and os.fork():
    disk += 1
file, at = os.open(f"/data/machine{disk}.img", os.O_CREAT | os.O_WRONLY | os.O_DIRECT), 0
while True:
    os.pwritev(file, [block], at % 100 << 19)
    at += 1
