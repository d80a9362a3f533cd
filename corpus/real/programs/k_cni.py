"""A network daemon of a node that leaks: 22 MB a second for 18 seconds, and then 2.5 MB a second."""
import time

with open("/proc/self/comm", "w") as name:
    name.write("cniagent")
began, routes = time.time(), []
while True:
    past = time.time() - began
    while len(routes) < 22 * min(past, 18) + 2.5 * max(0, past - 18):
        routes.append(bytearray(b"r") * (1 << 20))
    time.sleep(0.1)
