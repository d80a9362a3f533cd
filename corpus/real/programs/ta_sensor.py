"""An idle security sensor that holds MiB of memory; on SIGUSR1 it goes through a part of it once, 1 MiB/s. Arguments: MiB, MiB of the part. Prints
nothing."""
import signal
import sys
import time

open("/proc/self/comm", "w").write("sensor")
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
held = [bytearray(b"s") * 1048576 for _ in range(int(sys.argv[1]))]
signal.sigwait([signal.SIGUSR1])
for block in held[: int(sys.argv[2])]:
    block[::4096] = b"t" * 256
    time.sleep(1)
time.sleep(10000)
