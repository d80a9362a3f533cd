"""A browser opens tabs, MiB by MiB, until no more memory is available than it leaves free; it discards a tab when that becomes half as much, and opens the next
when it is more again. Argument: the MiB to leave. Prints nothing."""
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("chromium")
leave, tabs = int(sys.argv[1]) << 10, []
while True:
    with open("/proc/meminfo") as meminfo:
        available = next(int(line.split()[1]) for line in meminfo if line.startswith("MemAvailable"))
    if available > leave:
        tabs.append(bytearray(b"t") * (1 << 20 if available < leave + 40000 else 4 << 20))
    elif available < leave // 2 and len(tabs) > 8:
        del tabs[-8:]
    time.sleep(0.05)
