"""A language server: each question goes through pages at random of its index in memory, and needs some KiB of fresh memory for the answer. Prints in
each second clock, questions and ms. Arguments: its name, MB of the index, pages of a question, KiB of an answer (0: none), questions a second."""
import mmap
import random
import sys

import g_steady

comm, size, pages, answer, rate = sys.argv[1:6]
with open("/proc/self/comm", "w") as name:
    name.write(comm)
index, fresh = [bytearray(b"s") * (1 << 20) for _ in range(int(size))], int(answer)


def ask():
    for _ in range(int(pages)):
        random.choice(index)[random.randrange(256) << 12] = 1
    if fresh:
        text = mmap.mmap(-1, fresh << 10)
        text[::4096] = b"a" * (fresh >> 2)
        text.close()


g_steady.serve(ask, float(rate))
