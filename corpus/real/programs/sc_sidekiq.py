"""A worker of background jobs with a heap of 80 MB: each job decodes a payload of 4 MB and drops it, or of 45 MB once /tmp/import exists. Prints in each
second clock, jobs and ms. Argument: jobs a second."""
import os
import sys

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("sidekiq")
heap = [b"h" * 1048576 for _ in range(80)]


def job():
    payload = b"p" * ((45 if os.path.exists("/tmp/import") else 4) << 20)
    payload.count(b"q", 0, 100000)


g_steady.serve(job, float(sys.argv[1]))
