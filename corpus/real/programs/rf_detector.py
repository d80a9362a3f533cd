"""The readout of a detector sends its data in messages of 3000 bytes over a local socket with a very large send buffer; the analysis at its other end does not
read. It stops when few MB of files are cached. Prints nothing. Arguments: MB of file cache at which it stops, MB/s."""
import socket
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("readout")
SO_SNDBUFFORCE = 32
source, sink = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
source.setsockopt(socket.SOL_SOCKET, SO_SNDBUFFORCE, 1 << 29)
source.setblocking(False)
message, per = b"e" * 3000, float(sys.argv[2]) * 256 / 20


def cached():
    with open("/proc/meminfo") as lines:
        values = {line.split(":")[0]: int(line.split()[1]) for line in lines}
    return (values["Active(file)"] + values["Inactive(file)"]) >> 10


due = time.time()
while cached() > int(sys.argv[1]):
    for _ in range(int(per)):
        source.send(message)
    due = max(due + 0.05, time.time() - 0.2)
    time.sleep(max(0, due - time.time()))
time.sleep(10000)
