"""A server with a heap answers 20 requests a second, each of which looks at 40 random pages of the heap. Argument: MB of the heap. Prints clock,
requests and ms of one, every second."""
import random
import sys
import threading
import time

heap, state = bytearray(b"\x05" * 4096) * (int(sys.argv[1]) * 256), [0, 0.0]
pages = len(heap) // 4096


def report():
    while True:
        time.sleep(1 - time.time() % 1)
        (done, took), state[:] = state, [0, 0.0]
        print(int(time.time()), done, *([round(took / done * 1000, 1)] if done else []), flush=True)


threading.Thread(target=report, daemon=True).start()
due = time.time()
while True:
    began = time.time()
    for _ in range(40):
        heap[random.randrange(pages) * 4096] = 6
    state[0], state[1] = state[0] + 1, state[1] + time.time() - began
    due = max(due + 0.05, time.time() - 0.1)
    time.sleep(max(0, due - time.time()))
