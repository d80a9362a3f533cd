"""A vector store whose collections are rarely searched: it holds MB of vectors, and every eight seconds somebody searches, which looks at 30 vectors.
Prints `held` once. Argument: the MB."""
import os
import random
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("vectorstore")
vectors = [bytearray(os.urandom(4096)) * 256 for _ in range(int(sys.argv[1]))]
print("held", flush=True)
while True:
    time.sleep(8)
    total = sum(random.choice(vectors)[random.randrange(1048576)] for _ in range(30))
