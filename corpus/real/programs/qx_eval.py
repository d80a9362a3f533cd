"""An evaluation, which keeps the logits of every batch until its end. Prints nothing. Arguments: MB of them altogether, MB a second."""
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("evaluate")
predictions = []
for _ in range(int(sys.argv[1])):
    predictions.append(bytearray(b"\x3f") * (1 << 20))
    time.sleep(1 / float(sys.argv[2]))
time.sleep(10000)
