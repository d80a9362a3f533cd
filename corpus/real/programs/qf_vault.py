"""Holds MiB of encrypted records, which do not compress, and uses none of them. Argument: MiB."""
import os
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("vaultd")
held = [bytearray(os.urandom(4096) * 256) for _ in range(int(sys.argv[1]))]
time.sleep(100000)
