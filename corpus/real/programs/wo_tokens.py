"""A sidecar that remembers a token for each session, a few hundred KB at a time, up to so many MiB. Arguments: MiB, KiB/s."""
import random
import sys
import time

size, rate = int(sys.argv[1]) << 20, int(sys.argv[2]) << 10
with open("/proc/self/comm", "w") as comm:
    comm.write("tokend")
tokens, held = [], 0
while True:
    if held < size:
        tokens.append(random.randbytes(rate // 10))
        held += rate // 10
    time.sleep(0.1)
