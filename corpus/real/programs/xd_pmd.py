"""A packet forwarder adds huge pages to the pool of NUMA node 0, twenty MB at a time, maps them and uses them. Argument: pages of 2 MB."""
import mmap
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("dpdk-fwd")
pool, wanted, mapped, tries = "/sys/devices/system/node/node0/hugepages/hugepages-2048kB/nr_hugepages", int(sys.argv[1]), [], 0
have = 0
while have < wanted and tries < 60:
    with open(pool, "w") as file:
        file.write(str(min(have + 10, wanted)))
    got = int(open(pool).read())
    if got > have:
        memory = mmap.mmap(-1, got - have << 21, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x40000)
        for at in range(0, len(memory), 1 << 21):
            memory[at] = 1
        mapped.append(memory)
    have, tries = got, tries + 1
    time.sleep(0.4)
time.sleep(10000)
