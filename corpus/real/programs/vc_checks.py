"""A monitoring server starts checks, each a process of 12 MB, which end. From when /tmp/go exists a firewall drops what they send, and they
wait for their time-out of minutes, while three more start a second; until little cache is left."""
import os
import time

import room


def check(stuck):
    with open("/proc/self/comm", "w") as comm:
        comm.write("check_http")
    held = bytearray(b"c") * (12 << 20)
    time.sleep(1000 if stuck else 0.1)
    os._exit(len(held) == 0)


with open("/proc/self/comm", "w") as comm:
    comm.write("icinga2")
while True:
    stuck = os.path.exists("/tmp/go")
    if not stuck or room.files() > 70:
        child = os.fork()
        if child == 0:
            check(stuck)
        if not stuck:
            os.waitpid(child, 0)
    time.sleep(0.33 if stuck else 1)
