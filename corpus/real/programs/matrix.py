"""A computation with arrays that are larger than memory."""
import numpy

table = numpy.ones((7200, 7200))
while True:
    table += 1
