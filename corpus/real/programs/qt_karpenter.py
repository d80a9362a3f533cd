"""A controller that looks for nodes to spare: so many workers simulate, for one node after another, where its pods would go, and build the same sets of
constraints anew for each. Arguments: the workers, the seconds."""
import os
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("karpenter")
end = time.time() + float(sys.argv[2])
for _ in range(int(sys.argv[1]) - 1):
    if not os.fork():
        break
while time.time() < end:
    domains = set()
    for node in range(200):
        domains |= {(node % 7, zone) for zone in range(20)}
