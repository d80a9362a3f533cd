"""A new pod: fills its heap with MiB within some seconds and then waits. Arguments: MiB, seconds, seconds until it ends."""
import sys
import time

size, warm, life = (float(value) for value in sys.argv[1:])
ends, heap = time.time() + life, []
while len(heap) < size:
    heap.append(bytearray(b"h") * (1 << 20))
    time.sleep(warm / size)
time.sleep(max(0, ends - time.time()))
