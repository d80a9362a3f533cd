"""A server of a language model: 60 MB of weights, of which each of ten requests a second touches some. From when /tmp/go exists requests have long contexts,
and each keeps 1 MB of keys and values for its conversation. It takes 8 s to start."""
import os
import random
import time

import xd_watch

weights, contexts = [], []


def setup():
    for _ in range(60):
        weights.append(bytearray(b"w") * (1 << 20))
        time.sleep(0.05)
    time.sleep(5)


def request():
    for _ in range(20):
        weights[random.randrange(60)][random.randrange(256) << 12] = 1
    if os.path.exists("/tmp/go"):
        contexts.append(bytearray(b"k") * (1 << 20))


xd_watch.serve(setup, request, 10, "llmserve")
