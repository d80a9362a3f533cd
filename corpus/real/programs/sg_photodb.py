"""The database of a photo service, in a container that is not restarted: it holds MiB and answers 20 requests a second, each of which touches 50 pages at
random. Its supervisor prints clock, requests and ms of each, once a second, and 0 when the database is gone. Argument: the MiB."""
import mmap
import os
import random
import struct
import sys
import time

size = int(sys.argv[1])
board = mmap.mmap(-1, 4096)
if os.fork() == 0:
    with open("/proc/self/comm", "w") as comm:
        comm.write("mariadbd")
    memory = bytearray(size << 20)
    for part in range(size):
        memory[part << 20 : (part + 1) << 20] = b"r" * (1 << 20)
    count, spent, due = 0, 0.0, time.time()
    while True:
        began = time.time()
        for _ in range(50):
            memory[random.randrange(len(memory))] = 5
        count, spent = count + 1, spent + time.time() - began
        struct.pack_into("qd", board, 0, count, spent)
        due = max(due + 0.05, time.time() - 0.05)
        time.sleep(max(0, due - time.time()))
before = 0, 0.0
while struct.unpack_from("qd", board)[0] == 0:
    time.sleep(0.2)
while True:
    time.sleep(1 - time.time() % 1)
    now = struct.unpack_from("qd", board)
    count = now[0] - before[0]
    print(int(time.time()), count, *([round((now[1] - before[1]) / count * 1000, 1)] if count else []), flush=True)
    before = now
    try:
        os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        pass
