"""A connector for change data handles 20 events a second. When the file /tmp/snapshot exists it takes a snapshot of a table, and its driver collects all rows
in memory, 14 MB/s, without end. When it was killed it is started again, reads the history of schemas for 15 s, and takes up the snapshot again.
Prints in each second: clock, events, ms of one."""
import json
import os
import threading
import time

import xd_watch

rows = []


def snapshot():
    while not os.path.exists("/tmp/snapshot"):
        time.sleep(0.2)
    while True:
        rows.append(bytearray(b"r") * 1048576)
        time.sleep(1 / 14)


def setup():
    if os.path.exists("/tmp/snapshot"):
        time.sleep(15)
    rows.append(bytearray(b"s") * (30 << 20))
    threading.Thread(target=snapshot, daemon=True).start()


def event():
    json.loads(json.dumps({"before": None, "after": {str(n): n for n in range(40)}}))


xd_watch.serve(setup, event, 20, "kafka-connect")
