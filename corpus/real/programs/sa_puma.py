"""A web server of a forge: each request uses pages at random of what the process holds. Arguments: MiB, requests a second, pages of each. Prints each second CLOCK, requests, ms of one."""
import random
import sys

import sa_pages

sa_pages.named("puma")
size, rate, pages = map(int, sys.argv[1:4])
held = [bytearray(b"p") * 1048576 for _ in range(size)]


def page():
    for _ in range(pages):
        held[random.randrange(size)][random.randrange(256) * 4096] = 1


sa_pages.serve(page, rate)
