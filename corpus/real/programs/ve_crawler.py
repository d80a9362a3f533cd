"""A crawler that keeps no cookies: 200 visits a second, each of which leaves a session file. Argument: the folder."""
import sys
import time

number = 0
while True:
    for _ in range(20):
        number += 1
        try:
            open(f"{sys.argv[1]}/sess_{number}", "wb").close()
        except OSError:
            pass
    time.sleep(0.1)
