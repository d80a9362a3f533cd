"""Sidekiq of a Mastodon server: holds 130 MB of Ruby objects, does twenty jobs a second and appends a byte to /tmp/jobs for each. While /tmp/go exists a
picture waits in its queue (it is retried after each start): 3 s after the start, `convert` expands the frames of a GIF in memory. With the argument
`convert`, it is that program."""
import os
import random
import subprocess
import sys
import time

if sys.argv[1:] == ["convert"]:
    with open("/proc/self/comm", "w") as comm:
        comm.write("convert")
    frames = []
    while len(frames) < 60:
        frames.append(bytearray(b"f") * (6 << 20))
        time.sleep(0.2)
    time.sleep(30)
    sys.exit()

with open("/proc/self/comm", "w") as comm:
    comm.write("sidekiq")
objects = [bytearray(b"r") * 1048576 for _ in range(130)]
jobs = os.open("/tmp/jobs", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
began, due, picture = time.time(), time.time(), None
while True:
    if picture is None and time.time() > began + 3 and os.path.exists("/tmp/go"):
        picture = subprocess.Popen([sys.executable, sys.argv[0], "convert"])
    for _ in range(20):
        part = random.choice(objects)
        part[random.randrange(1048576)] = 1
    os.write(jobs, b".")
    due = max(due + 0.05, time.time() - 0.05)
    time.sleep(max(0, due - time.time()))
