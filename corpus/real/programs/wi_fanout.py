"""A chat server with one event loop: 15 messages a second, each is made into JSON for the members of a room, which takes some ms of a CPU when nobody else
computes. From when /tmp/go exists it is more. Arguments: the ms, and the ms then."""
import json
import os
import sys
import time

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("chatserver")
event = {"type": "typing", "room": "general", "user": {"id": 4711, "name": "somebody"}}


def send(members):
    for member in range(members):
        event["to"] = member
        json.dumps(event)


began, count = time.process_time(), 0
while time.process_time() - began < 0.5:
    send(50)
    count += 50
first, then = (int(count / 0.5 * float(value) / 1000) for value in sys.argv[1:])
g_steady.serve(lambda: send(then if os.path.exists("/tmp/go") else first), 15)
