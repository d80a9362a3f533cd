"""A trainer has mapped its data set in 60000 pieces; from when /tmp/go exists it forks persistent workers, each of which gets a copy of all the
mappings, until only MB of files are cached. Argument: the MB."""
import ctypes
import os
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("trainer")
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
file = os.open("/bulk/logs/app.log", os.O_RDONLY)
for piece in range(60000):
    # Every second page: neighbours cannot become one mapping.
    if libc.mmap(None, 4096, 1, 2, file, piece * 8192) in (None, ctypes.c_void_p(-1).value):
        raise OSError(ctypes.get_errno(), "mmap")
open("/tmp/mapped", "w").close()


def cached():
    with open("/proc/meminfo") as lines:
        values = {line.split(":")[0]: int(line.split()[1]) for line in lines}
    return (values["Active(file)"] + values["Inactive(file)"]) >> 10


while not os.path.exists("/tmp/go"):
    time.sleep(0.1)
while True:
    if cached() > int(sys.argv[1]) and os.fork() == 0:
        time.sleep(10000)
        os._exit(0)
    time.sleep(0.2)
