"""An external sort verifies its runs and merges them: reads 24 MB of a run for the checksum, and the same 24 MB again for the merge."""
import os

with open("/proc/self/comm", "w") as comm:
    comm.write("extsort")
runs = [os.open(f"/bulk/media/part{n}", os.O_RDONLY) for n in range(1, 7)]
room = bytearray(1 << 20)
while True:
    for part in range(8):
        for run in runs:
            for _ in range(2):
                for at in range(24):
                    os.preadv(run, [room], (part * 24 + at) << 20)
