"""A pod that an operator rolls: reads so many MB of its image from a file, keeps as many of memory, and then waits for work. Arguments: the file, the MB. Prints
nothing."""
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("operand")
held = []
with open(sys.argv[1], "rb", 0) as image:
    for _ in range(int(sys.argv[2])):
        held.append(image.read(1 << 20))
        time.sleep(0.02)
time.sleep(10000)
