"""Serves requests in a child at a steady rate; the parent prints in each second clock, requests and ms of each, and starts the child again when it was killed."""
import os
import struct
import time


def child(to, setup, request, rate, comm):
    with open("/proc/self/comm", "w") as name:
        name.write(comm)
    setup()
    due = time.time()
    while True:
        began = time.time()
        request()
        os.write(to, struct.pack("f", time.time() - began))
        due = max(due + 1 / rate, time.time() - 1 / rate)
        time.sleep(max(0, due - time.time()))


def serve(setup, request, rate, comm):
    source, to = os.pipe()
    os.set_blocking(source, False)
    pid = 0
    while True:
        if pid == 0:
            pid = os.fork()
            if pid == 0:
                child(to, setup, request, rate, comm)
        time.sleep(1 - time.time() % 1)
        try:
            data = os.read(source, 65536)
        except BlockingIOError:
            data = b""
        took = [value for (value,) in struct.iter_unpack("f", data)]
        print(int(time.time()), len(took), *([round(sum(took) / len(took) * 1000, 1)] if took else []), flush=True)
        if os.waitpid(pid, os.WNOHANG)[0]:
            pid = 0
