"""A front that ends TLS: 15 connections a second, each takes 4 ms of CPU to resume; from when /tmp/go exists each is a full handshake of 110 ms."""
import os
import time

import vd_desk

with open("/proc/self/comm", "w") as comm:
    comm.write("tlsfront")


def connect():
    end = time.thread_time() + (0.11 if os.path.exists("/tmp/go") else 0.004)
    while time.thread_time() < end:
        pow(3, (1 << 255) - 19, (1 << 521) - 1)


vd_desk.serve(connect, 15, 2)
