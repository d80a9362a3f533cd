"""A payroll run reads its staff into memory, and keeps it. Arguments: MB, MB per second."""
import os
import sys
import time

with open("/proc/self/comm", "w") as file:
    file.write("payroll")
staff = []
for _ in range(int(sys.argv[1])):
    staff.append(bytearray(os.urandom(4096)) * 256)
    time.sleep(1 / float(sys.argv[2]))
time.sleep(1000)
