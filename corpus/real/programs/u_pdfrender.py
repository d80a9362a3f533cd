"""Renders documents and never frees the pages: 14 MiB/s, after 300 MiB, when fewer people are at work, 5 MiB/s."""
import time

with open("/proc/self/comm", "w") as name:
    name.write("pdfrender")
kept = []
while True:
    kept.append(bytearray(b"%") * 1048576)
    time.sleep(1 / 14 if len(kept) < 300 else 1 / 5)
