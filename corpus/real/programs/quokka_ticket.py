"""Sells eight tickets a second, at two counters: a record of 200 bytes each, synced."""
import os

import quokka_tally

sold = os.open("/data/sold", os.O_CREAT | os.O_WRONLY | os.O_APPEND)


def sell():
    os.write(sold, b"t" * 200)
    os.fdatasync(sold)


quokka_tally.serve(sell, 8)
