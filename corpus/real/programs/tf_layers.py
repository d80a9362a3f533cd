"""Computes tokens from models that it maps: it touches the pages of one layer of 4 MB after the other, in the same order for each token, 20 layers
a second. Prints clock, layers and ms of one. Arguments: the model; the model that it uses as well once /tmp/go exists."""
import mmap
import os
import sys

import numpy
import pace

open("/proc/self/comm", "w").write("llama-server")
LAYER = 4 * 1048576


def load(path):
    file = os.open(path, os.O_RDONLY)
    size = os.fstat(file).st_size
    return numpy.frombuffer(mmap.mmap(file, size, prot=mmap.PROT_READ), dtype=numpy.uint8)


def layers(model):
    return [model[at : at + LAYER : 4096] for at in range(0, len(model), LAYER)]


order, at, more = layers(load(sys.argv[1])), 0, False
for layer in order:
    int(layer.sum())


def compute():
    global at, more, order
    if not more and os.path.exists("/tmp/go"):
        order, more = order + layers(load(sys.argv[2])), True
    int(order[at % len(order)].sum())
    at += 1


pace.serve(compute)
