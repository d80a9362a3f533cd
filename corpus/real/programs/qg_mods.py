"""A game server loads its mods, 6 MB at a time, until only so many MiB of files are cached, and then goes over what it loaded. Argument: the MiB."""
import sys
import time

import room

with open("/proc/self/comm", "w") as name:
    name.write("modserver")
mods = []
while True:
    if room.files() > int(sys.argv[1]):
        mods.append(bytearray(b"m") * (6 << 20))
    elif mods:
        for mod in mods:
            mod[:: 1 << 14] = b"n" * ((6 << 20) >> 14)
    time.sleep(0.2)
