"""Answers ten requests a second, each in 400 KB of new memory that is given back after it."""
import mmap

import quokka_tally


def answer():
    with mmap.mmap(-1, 409600) as room:
        for at in range(0, 409600, 4096):
            room[at] = 1


quokka_tally.serve(answer, 10)
