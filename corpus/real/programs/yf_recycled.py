"""Three workers of a web application, each of which leaks 4 MB a second and is replaced by a new one after so many requests, at 45 MB."""
import os
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("uwsgi")
for worker in range(3):
    if os.fork() == 0:
        # One after the other.
        time.sleep(worker * 4)
        while True:
            if os.fork() == 0:
                held = []
                while len(held) < 45:
                    held.append(bytearray(b"r") * (1 << 20))
                    time.sleep(0.25)
                os._exit(0)
            os.wait()
time.sleep(10000)
