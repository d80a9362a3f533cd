"""A book of orders in memory, 150 MB: each of 15 requests a second updates 40 places anywhere in it."""
import numpy

import quokka_tally

with open("/proc/self/comm", "w") as comm:
    comm.write("orderbook")
book = numpy.full(150 << 20, 1, dtype=numpy.uint8)


def update():
    book[numpy.random.randint(0, len(book), 40)] += 1


quokka_tally.serve(update, 15)
