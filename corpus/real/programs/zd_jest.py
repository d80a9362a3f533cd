"""A worker of a test runner keeps the modules of each test file that it has run, 4 MB a second up to 100 MB. No arguments."""
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("jest-worker")
modules = []
while True:
    if len(modules) < 100:
        modules.append(bytearray(b"j") * (1 << 20))
    modules[-1][::4096] = b"k" * 256
    time.sleep(0.25)
