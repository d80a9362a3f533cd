"""An inference server holds a model in memory, which it loads at 15 MB/s, and answers 15 requests a second, each of which looks at 60 places of it; it is started
again when it was killed. Prints clock, requests and ms of each, every second. Argument: MB of the model."""
import random
import sys
import time

import xd_watch

weights = []


def load():
    for _ in range(int(sys.argv[1])):
        weights.append(bytearray(b"w") * 1048576)
        time.sleep(1 / 15)


def request():
    for _ in range(60):
        random.choice(weights)[random.randrange(1048576)]


xd_watch.serve(load, request, 15, "inference")
