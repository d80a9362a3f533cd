"""A shop that writes 128 KB of log to its standard output for each of 30 requests a second; the output is a pipe that a log agent reads."""
import os

import g_steady

pipe, line = os.open("/tmp/stdout.pipe", os.O_WRONLY), b'{"level":"debug","body":"' + b"x" * 485 + b'"}\n'
page = line * 256


def request():
    left = memoryview(page)
    while left:
        left = left[os.write(pipe, left):]


g_steady.serve(request, 30)
