"""Books five transfers a second in a ledger; each is synced. Argument: the file."""
import os
import random
import sys

import g_steady

ledger = os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY | os.O_APPEND)


def transfer():
    os.write(ledger, b"t" * random.randrange(200, 900))
    os.fdatasync(ledger)


g_steady.serve(transfer, 5)
