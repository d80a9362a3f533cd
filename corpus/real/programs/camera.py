"""Records 2.5 MB of video a second in a file of 64 MB, which it writes over and over, and syncs nothing."""
import os

import pace

file, at = os.open("/data/video", os.O_CREAT | os.O_WRONLY), 0
frames = os.urandom(131072)


def record():
    global at
    os.pwrite(file, frames, at % 512 * 131072)
    at += 1


pace.serve(record)
