"""Polls a register of a field bus without a pause, with a realtime priority. Arguments: ms of polling, ms of rest."""
import sys
import time

busy, rest = float(sys.argv[1]) / 1000, float(sys.argv[2]) / 1000
with open("/proc/self/comm", "w") as comm:
    comm.write("fieldbus")
register = 0
while True:
    until = time.time() + busy
    while time.time() < until:
        register = register * 5 + 1 & 65535
    time.sleep(rest)
