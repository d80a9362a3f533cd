"""Keeps all messages that it was ever sent in its memory. Arguments: name, MB a second at first, MB until when, MB a second from then on."""
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write(sys.argv[1])
first, until, then = float(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
kept = []
while True:
    rate = first if len(kept) < until else then
    if rate:
        kept.append(b"m" * (1 << 20))
    time.sleep(1 / rate if rate else 10)
