"""A sensor of a network takes a ring for captured packets for each of its threads. Arguments: rings, MiB of each."""
import socket
import struct
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("suricata")
rings, BLOCK = [], 65536
for _ in range(int(sys.argv[1])):
    ring = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
    count = (int(sys.argv[2]) << 20) // BLOCK
    # SOL_PACKET, PACKET_RX_RING: size and number of blocks and of frames
    ring.setsockopt(263, 5, struct.pack("IIII", BLOCK, count, 2048, count * (BLOCK // 2048)))
    rings.append(ring)
    time.sleep(1)
while True:
    time.sleep(1)
