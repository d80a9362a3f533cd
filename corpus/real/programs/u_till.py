"""Takes four sales a second: writes the state of the till into a new file, syncs it, and renames it over the old one."""
import os

import pace

with open("/proc/self/comm", "w") as name:
    name.write("tilld")
os.makedirs("/data/till", exist_ok=True)
state = b"item 4711 2 9.98\n" * 200


def sale():
    file = os.open("/data/till/state.new", os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
    os.write(file, state)
    os.fsync(file)
    os.close(file)
    os.rename("/data/till/state.new", "/data/till/state")


pace.serve(sale, interval=0.25)
