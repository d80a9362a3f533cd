"""A live video server delivers ten segments a second; from when /tmp/go exists it writes each, 800 KB, into the recording of its stream before it
delivers it (DVR). It syncs nothing."""
import os

import g_steady

with open("/proc/self/comm", "w") as comm:
    comm.write("livecast")
os.makedirs("/data/dvr", exist_ok=True)
streams = [os.open(f"/data/dvr/stream{number}.ts", os.O_CREAT | os.O_WRONLY | os.O_APPEND) for number in range(10)]
segment, number = os.urandom(800000), 0


def deliver():
    global number
    number += 1
    if os.path.exists("/tmp/go"):
        os.write(streams[number % 10], segment)


g_steady.serve(deliver, 10)
