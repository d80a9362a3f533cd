"""A web cache: 20 requests a second, each for an object in memory that must first be tested against all bans that are newer. From when /tmp/go exists there are
BANS of them, and more with each request: a purge of single pages was turned into bans on headers that no object has. Argument: BANS."""
import os
import random
import sys

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("cache-worker")
objects = [{"url": f"/article/{number}", "tag": f"t{number}"} for number in range(4000)]
bans = []


def request():
    if os.path.exists("/tmp/go"):
        if not bans:
            bans.extend(("tag", f"x{number}") for number in range(int(sys.argv[1])))
        bans.append(("tag", f"y{len(bans)}"))
    found = random.choice(objects)
    for field, value in bans:
        if found[field] == value:
            return


g_steady.serve(request, 20)
