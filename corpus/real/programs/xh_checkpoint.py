"""Flushes the streams of a write-ahead log into chunks: twelve threads write 32 KB each and sync it, over and over."""
import os
import threading

with open("/proc/self/comm", "w") as comm:
    comm.write("checkpoint")
os.makedirs("/data/loki/chunks", exist_ok=True)


def flush(stream):
    file, at = os.open(f"/data/loki/chunks/{stream}", os.O_CREAT | os.O_WRONLY), 0
    while True:
        os.pwrite(file, b"c" * 32768, at % 100 << 15)
        os.fdatasync(file)
        at += 1


for stream in range(12):
    threading.Thread(target=flush, args=(stream,)).start()
