"""A backend whose one client prepares a new statement for each number of rows that it inserts, and drops none: plans of 64 KB stay, 100 of them in a second, for
as long as the connection lives. No arguments."""
import time

with open("/proc/self/comm", "w") as name:
    name.write("postgres")
plans = []
while True:
    for _ in range(10):
        plans.append(bytearray(b"p") * 65536)
    time.sleep(0.1)
