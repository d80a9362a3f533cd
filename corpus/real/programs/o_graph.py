"""Holds the edges of a graph, of MiB, and walks ten times a second from node to node, over 40 pages of it at random. Argument: the MiB."""
import random
import sys

import numpy

import pace

size = int(sys.argv[1]) << 17
edges = numpy.arange(size, dtype="i8")


def walk():
    for _ in range(40):
        edges[random.randrange(size)] += 1


pace.serve(walk, interval=0.1)
