"""The ranks of an MPI job that wait for a message of another node: they poll for it without a rest. Argument: the ranks."""
import os
import sys

open("/proc/self/comm", "w").write("lmp_mpi")
for _ in range(int(sys.argv[1]) - 1):
    if not os.fork():
        break
mailbox = bytearray(64)
while not mailbox[0]:
    pass
