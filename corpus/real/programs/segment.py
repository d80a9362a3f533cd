"""A program keeps 240 MB in shared memory."""
import time
from multiprocessing import shared_memory

held = []
for _ in range(240):
    held.append(shared_memory.SharedMemory(create=True, size=1 << 20))
    held[-1].buf[:] = bytes(1 << 20)
    time.sleep(0.03)
time.sleep(10000)
