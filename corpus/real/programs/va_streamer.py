"""Exports for a second tenant: reads all the media of /bulk, 40 MB a second at most, again and again."""
import glob
import time

with open("/proc/self/comm", "w") as name:
    name.write("exporter")
while True:
    for part in sorted(glob.glob("/bulk/media/part*")):
        with open(part, "rb", buffering=0) as file:
            while file.read(1 << 20):
                time.sleep(0.025)
