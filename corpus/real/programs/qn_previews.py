"""A media server makes preview images of its films with workers that decode frames, at the usual priority. Argument: the workers. No output."""
import os
import sys

import numpy

for worker in range(int(sys.argv[1])):
    if os.fork() == 0:
        with open("/proc/self/comm", "w") as name:
            name.write("ffmpeg")
        frame = numpy.random.default_rng(worker).random((240, 426))
        while True:
            frame = numpy.abs(numpy.fft.ifft2(numpy.fft.fft2(frame) * 0.999))
os.wait()
