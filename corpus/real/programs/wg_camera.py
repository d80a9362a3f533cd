"""Records a camera: writes 25 frames a second of 48 KB to files of 32 MB, buffered, and keeps six of them. Argument: the folder."""
import os
import sys

import pace

folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)
frame = os.urandom(48 << 10)
state = {"number": 0, "left": 0, "file": None}


def record():
    if state["left"] <= 0:
        if state["file"]:
            state["file"].close()
        state["number"] += 1
        state["left"] = 32 << 20
        state["file"] = open(f"{folder}/{state['number']}.ts", "wb", 0)
        old = f"{folder}/{state['number'] - 6}.ts"
        if os.path.exists(old):
            os.unlink(old)
    state["file"].write(frame)
    state["left"] -= len(frame)


pace.serve(record, interval=0.04, behind=0.2)
