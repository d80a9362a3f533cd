"""Reads files whole again and again as the rootcheck and the syscheck threads of an agent do: one thread for each argument, which is a list of files
separated by commas. Arguments: the lists. No output."""
import hashlib
import os
import sys
import threading

with open("/proc/self/comm", "w") as name:
    name.write("wazuh-syscheckd")


def check(files):
    while True:
        for path in files:
            total = hashlib.md5()
            handle = os.open(path, os.O_RDONLY)
            while block := os.read(handle, 65536):
                total.update(block[:4096])
            os.close(handle)


for each in sys.argv[1:]:
    threading.Thread(target=check, args=(each.split(","),)).start()
