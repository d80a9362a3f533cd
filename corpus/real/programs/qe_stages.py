"""A job of four stages with pipes between them. Each stage takes what comes until its buffer is full, and hands it on; the last one may write 400 KB a second.
Arguments: the source, the sink, MB of each buffer."""
import os
import sys
import threading
import time
from collections import deque

source, room = open(sys.argv[1], "rb", 0), int(sys.argv[3]) * 16
ends = [os.pipe() for _ in range(3)]


def stage(number, take, give):
    with open("/proc/self/comm", "w") as name:
        name.write(f"stage-{number}")
    buffer, changed = deque(), threading.Condition()

    def hand_on():
        while True:
            with changed:
                changed.wait_for(lambda: buffer)
                piece = buffer.popleft()
                changed.notify_all()
            give(piece)

    threading.Thread(target=hand_on, daemon=True).start()
    while piece := take():
        with changed:
            changed.wait_for(lambda: len(buffer) < room)
            buffer.append(piece)
            changed.notify_all()
    time.sleep(10000)


def sink(piece):
    with open(sys.argv[2], "ab", 0) as file:
        file.write(piece)
    time.sleep(len(piece) / 400000)


for number in range(4):
    if number == 3 or os.fork() == 0:
        take = (lambda: source.read(1 << 16)) if number == 0 else (lambda: os.read(ends[number - 1][0], 1 << 16))
        stage(number, take, sink if number == 3 else lambda piece: os.write(ends[number][1], piece))
