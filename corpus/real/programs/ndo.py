"""Puts messages of 16 KB into a System V queue that nobody reads, up to kernel.msgmnb."""
import ctypes
import time

libc = ctypes.CDLL(None)
queue = libc.msgget(0, 0o600)
message = ctypes.create_string_buffer((1).to_bytes(8, "little") + b"d" * 16312, 16320)
while True:
    for _ in range(20):
        full = libc.msgsnd(queue, message, ctypes.c_size_t(16312), 0o4000)
    time.sleep(1 if full else 0.01)
