"""A program sorts arrays of 200 MB."""
import numpy

while True:
    numpy.sort(numpy.random.rand(13 << 20))
