"""Keeps MB of quotes in its heap and serves 15 requests a second, each of which touches 40 pages of it; it is started again when it was killed. Argument: the MB."""
import random
import sys
import time

import xd_watch

heap, size = [], int(sys.argv[1])


def setup():
    for _ in range(size):
        heap.append(bytearray(b"q") * (1 << 20))
        time.sleep(1 / 60)


def request():
    for _ in range(40):
        heap[random.randrange(size)][random.randrange(256) << 12] = 1


xd_watch.serve(setup, request, 15, "quoted")
