"""The worker of a data loader decodes 10 pictures of 3 MB a second; when /tmp/go exists it also keeps each. It takes 9 s to start (also when it was killed:
its parent starts it again). Prints clock, pictures and ms of each, every second."""
import os
import time

import xd_watch

state = {"memo": []}


def setup():
    state["model"] = bytearray(b"m") * (60 << 20)
    time.sleep(9)


def decode():
    picture = bytearray(b"p") * (3 << 20)
    if os.path.exists("/tmp/go"):
        state["memo"].append(picture)


xd_watch.serve(setup, decode, 10, "pt_data_worker")
