"""Books six payments a second: an intent and an outcome, each synced, in one of two journals."""
import os
import random

import pace

journals = [os.open(f"/data/payments{n}", os.O_CREAT | os.O_WRONLY | os.O_APPEND) for n in range(2)]


def payment():
    journal = random.choice(journals)
    for size in (180, 90):
        os.write(journal, b"p" * size)
        os.fdatasync(journal)


pace.serve(payment, interval=1 / 6)
