"""Indexes mails for searching: reads a file, 12 MB/s, and keeps a tenth of a MB of terms for each MB that it reads, and at once the dictionary.
Arguments: the file, MB of the dictionary."""
import sys
import time

words, terms = [], []
for _ in range(int(sys.argv[2])):
    words.append(bytearray(b"w") * (1 << 20))
    time.sleep(0.05)
with open(sys.argv[1], "rb", buffering=0) as file:
    while True:
        if part := file.read(1 << 20):
            terms.append(bytes(part[:100000]))
        else:
            file.seek(0)
        del terms[:-200]
        for block in words:
            block[::4096] = b"x" * 256
        time.sleep(0.06)
