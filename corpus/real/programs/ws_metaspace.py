"""An application server on which an application is deployed anew every two seconds; the class loader of the old one is never freed. Deploys fail, and none
follows, when few MB are available. Arguments: MB of classes, MB to leave."""
import os
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("tomcat")
loaders, classes = [], os.urandom(1 << 20)


def available():
    for line in open("/proc/meminfo"):
        if line.startswith("MemAvailable"):
            return int(line.split()[1]) >> 10


while available() > int(sys.argv[2]):
    for _ in range(int(sys.argv[1])):
        loaders.append(bytearray(classes))
        time.sleep(2 / int(sys.argv[1]))
time.sleep(10000)
