"""The photo service of a home: a front and its worker with MB of models in memory. The front asks the worker 15 times a second and prints in each second
clock, answers and ms of each; nothing is answered any more when the worker was killed. Argument: MB."""
import os
import random
import sys
import time

import g_steady

asked, ask = os.pipe()
answered, answer = os.pipe()
if os.fork() == 0:
    os.close(ask)
    os.close(answered)
    with open("/proc/self/comm", "w") as name:
        name.write("photo-ml")
    model = [bytearray(b"m") * 1048576 for _ in range(int(sys.argv[1]))]
    while os.read(asked, 1):
        for _ in range(200):
            random.choice(model)[random.randrange(1048576)] = 1
        os.write(answer, b"a")
    os._exit(0)
os.close(asked)
os.close(answer)
with open("/proc/self/comm", "w") as name:
    name.write("photos")


def request():
    try:
        os.write(ask, b"q")
        if os.read(answered, 1):
            return
    except BrokenPipeError:
        pass
    time.sleep(10000)


g_steady.serve(request, 15)
