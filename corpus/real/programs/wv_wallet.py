"""A wallet service that keeps events on a far volume: eight requests a second read the balance, one block, around the page cache. From when /tmp/go exists
there are no snapshots of balances, and a request follows the chain of the last 12 events, each of which says where the one before it is. Argument: the device."""
import mmap
import os
import random
import sys

import wc_load

device, block = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, 4096)


def balance():
    at = random.randrange(100 * 256)
    for _ in range(12 if os.path.exists("/tmp/go") else 1):
        os.preadv(device, [block], at * 4096)
        at = (at * 7 + block[0] * 256 + block[1]) % (100 * 256)


wc_load.serve(balance, 8, "walletd")
