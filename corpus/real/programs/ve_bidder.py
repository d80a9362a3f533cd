"""A bidder of an ad exchange keeps profiles of users in memory. A bid parses a request into fresh memory. Once /tmp/campaign exists it loads the
audience of a campaign, a MB every so often. Arguments: MB of profiles, MB of the audience."""
import mmap
import os
import random
import sys
import threading
import time

import pace

profiles = [bytearray(b"p") * 1048576 for _ in range(int(sys.argv[1]))]


def audience():
    while not os.path.exists("/tmp/campaign"):
        time.sleep(0.5)
    for _ in range(int(sys.argv[2])):
        profiles.append(bytearray(b"a") * 1048576)
        time.sleep(0.1)


def bid():
    parsed = mmap.mmap(-1, 262144)
    for page in range(0, 262144, 4096):
        parsed[page] = 1
    for _ in range(20):
        profiles[random.randrange(len(profiles))][random.randrange(1048576)] = 1
    parsed.close()


threading.Thread(target=audience, daemon=True).start()
pace.serve(bid, interval=0.1)
