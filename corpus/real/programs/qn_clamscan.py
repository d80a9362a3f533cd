"""The nightly virus scan: loads 60 MB of signatures, then reads all files under the folders whole, and begins anew at the end. Arguments: the folders.
No output."""
import hashlib
import os
import sys

with open("/proc/self/comm", "w") as name:
    name.write("clamscan")
signatures = [bytearray(b"s") * 1048576 for _ in range(60)]
while True:
    for top in sys.argv[1:]:
        for folder, _, files in os.walk(top):
            for each in files:
                with open(os.path.join(folder, each), "rb", 0) as file:
                    while block := file.read(262144):
                        hashlib.sha1(block[:65536])
