"""A proxy of a node opens a UDP socket for each flow and closes none. Arguments: sockets, sockets a second."""
import resource
import socket
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("kube-proxy")
count, rate = int(sys.argv[1]), float(sys.argv[2])
resource.setrlimit(resource.RLIMIT_NOFILE, (count + 1000, count + 1000))
began = time.time()
for number in range(count):
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).detach()
    if number % 100 == 0:
        time.sleep(max(0, began + number / rate - time.time()))
time.sleep(10000)
