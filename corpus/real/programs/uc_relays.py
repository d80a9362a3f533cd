"""An editor's forwarder of ports that starts a relay for each connection, twelve a second, and loses it: each relay keeps 4 MB and waits. It pauses while only so many MB
of files are cached. Argument: the MB. Prints nothing."""
import os
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("port-forwarder")


def files():
    with open("/proc/meminfo") as file:
        return sum(int(line.split()[1]) for line in file if "ctive(file)" in line) // 1024


while True:
    if files() > int(sys.argv[1]):
        if os.fork() == 0:
            with open("/proc/self/comm", "w") as name:
                name.write("relay")
            held = bytearray(b"r") * (4 << 20)
            time.sleep(10000)
            os._exit(0)
    time.sleep(1 / 12)
