"""A dispatcher puts events of 8000 bytes into a queue of System V messages that nobody reads. Arguments: MB to put there, MB a second."""
import ctypes
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("dispatchd")
libc = ctypes.CDLL(None, use_errno=True)
queue = libc.msgget(0, 0o1600)
message = ctypes.create_string_buffer((1).to_bytes(8, "little") + b"e" * 8000, 8008)
for _ in range(int(sys.argv[1])):
    for _ in range(128):
        if libc.msgsnd(queue, message, 8000, 0o4000):
            print("full", ctypes.get_errno(), flush=True)
            break
    time.sleep(1 / float(sys.argv[2]))
time.sleep(10000)
