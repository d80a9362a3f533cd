"""Reads `clock requests` of another program, and prints in the middle of each second how many there were, and 0 when it prints nothing."""
import sys
import threading
import time

total = 0


def add():
    global total
    for line in sys.stdin:
        total += int(line.split()[1])


threading.Thread(target=add, daemon=True).start()
before = 0
while True:
    time.sleep(1 - (time.time() - 0.5) % 1)
    now = total
    print(int(time.time()), now - before, flush=True)
    before = now
