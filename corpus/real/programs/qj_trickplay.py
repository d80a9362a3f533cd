"""ffmpeg of a media server's task that makes an image of every ten seconds of each film: reads a film from beginning to end. Argument: the MiB of
/data/lite.db where its film begins."""
import os
import sys

with open("/proc/self/comm", "w") as comm:
    comm.write("ffmpeg")
film, at = os.open("/data/lite.db", os.O_RDONLY), int(sys.argv[1]) << 20
while part := os.pread(film, 262144, at):
    at += len(part)
