"""The hub of a smart home starts: reads MB of its files, a tenth of a second for each, and keeps as much in memory; then it idles. Arguments: a
file, MB."""
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("hass")
states = []
with open(sys.argv[1], "rb", buffering=0) as integrations:
    for _ in range(int(sys.argv[2])):
        states.append(bytearray(integrations.read(1048576)))
        time.sleep(0.1)
while True:
    states[0][0] = 1
    time.sleep(1)
