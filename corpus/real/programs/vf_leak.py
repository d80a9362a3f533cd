"""A gateway of websockets that never frees the buffers of closed connections: 16 MB/s while all clients reconnect, and 1.5 MB/s later."""
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("wsgateway")


def available():
    for line in open("/proc/meminfo"):
        if line.startswith("MemAvailable"):
            return int(line.split()[1]) >> 10


held, reconnecting = [], True
while True:
    held.append(bytearray(b"w") * (1 << 19))
    if len(held) % 8 == 0 and reconnecting:
        reconnecting = available() > 40
    time.sleep(1 / 32 if reconnecting else 1 / 3)
