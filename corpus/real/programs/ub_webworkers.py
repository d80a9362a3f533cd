"""The workers of a web interface that nobody opens at night: each holds its MB and sleeps. Prints `up` once. Arguments: workers, MB of each."""
import os
import sys
import time

for _ in range(int(sys.argv[1]) - 1):
    if os.fork() == 0:
        break
held = [bytearray(os.urandom(4096)) * 256 for _ in range(int(sys.argv[2]))]
print("up", flush=True)
while True:
    time.sleep(30)
