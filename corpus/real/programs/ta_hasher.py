"""A security agent that answers a query for the hashes of all programs: so many workers hash the files below /usr/bin, again and again. Arguments:
workers, seconds. Prints nothing."""
import hashlib
import os
import sys
import time

open("/proc/self/comm", "w").write("osqueryd")
workers, end = int(sys.argv[1]), time.time() + float(sys.argv[2])
for _ in range(workers - 1):
    if os.fork() == 0:
        break
paths = [entry.path for entry in os.scandir("/usr/bin") if entry.is_file(follow_symlinks=False) and entry.stat().st_size < 400000]
while time.time() < end:
    for path in paths[:60]:
        with open(path, "rb") as file:
            text = file.read()
        for kind in (hashlib.md5, hashlib.sha1, hashlib.sha256):
            kind(text).hexdigest()
        if time.time() > end:
            break
