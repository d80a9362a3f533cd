"""Merges segments: packs MB after MB of text that it keeps in memory, and drops the outcome."""
import zlib

with open("/proc/self/comm", "w") as name:
    name.write("merge")
with open("/bulk/logs/app.log", "rb", 0) as file:
    pieces = [file.read(1 << 20) for _ in range(4)]
while True:
    for piece in pieces:
        zlib.compress(piece, 6)
