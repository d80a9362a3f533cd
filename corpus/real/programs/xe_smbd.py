"""A file server takes backups of Macs (Time Machine): each client writes 64 KB at a random place of one of its bands, and wants it flushed
before the next (F_FULLFSYNC). Arguments: the folder, the clients."""
import os
import random
import sys
import threading

block = os.urandom(65536)


def client(number):
    folder = f"{sys.argv[1]}/mac{number}.sparsebundle"
    os.makedirs(folder, exist_ok=True)
    while True:
        band = os.open(f"{folder}/{random.randrange(12):x}", os.O_CREAT | os.O_WRONLY)
        os.pwrite(band, block, random.randrange(96) * 65536)
        os.fsync(band)
        os.close(band)


for number in range(int(sys.argv[2])):
    threading.Thread(target=client, args=(number,)).start()
