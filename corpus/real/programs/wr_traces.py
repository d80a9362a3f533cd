"""A worker of end-to-end tests that records everything: writes trace after trace, MB of screenshots in pieces of 256 KB, and keeps them. Arguments: the folder, the
MB of a trace, how many of them."""
import os
import sys

with open("/proc/self/comm", "w") as name:
    name.write("playwright")
os.makedirs(sys.argv[1], exist_ok=True)
shot = os.urandom(1 << 18)
for trace in range(int(sys.argv[3])):
    file = os.open(f"{sys.argv[1]}/trace{trace}.zip", os.O_CREAT | os.O_TRUNC | os.O_WRONLY)
    for _ in range(int(sys.argv[2]) * 4):
        os.write(file, shot)
    os.close(file)
