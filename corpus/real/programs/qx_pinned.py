"""Ranks of a simulation, bound to CPUs, which compute all the time and do nothing else. Prints nothing. Arguments: the ranks, the CPUs."""
import os
import sys

cpus = [int(cpu) for cpu in sys.argv[2:]]
rank = 0
for rank in range(1, int(sys.argv[1])):
    if not os.fork():
        break
else:
    rank = 0
os.sched_setaffinity(0, {cpus[rank % len(cpus)]})
with open("/proc/self/comm", "w") as name:
    name.write("lmp_mpi")
value = 1
while True:
    value = value * 31 % 1000003
