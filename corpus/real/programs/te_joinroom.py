"""A chat server joins a large federated room: it builds the state of the room in memory, MB at MB a second, and keeps it. Arguments: the MB, MB a second."""
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("homeserver")
state = []
for _ in range(int(sys.argv[1])):
    state.append(bytearray(b"@user:example.org ") * 58254)
    time.sleep(1 / float(sys.argv[2]))
time.sleep(10000)
