"""Fetchers of replicas: so many threads each append to a log of their own, as fast as write() lets them. Arguments: folder, threads, KB of a write.
Prints nothing."""
import os
import sys
import threading

import qs_query

qs_query.name("replicafetcher")
block = b"r" * (int(sys.argv[3]) * 1024)
os.makedirs(sys.argv[1], exist_ok=True)


def fetch(number):
    log = os.open(f"{sys.argv[1]}/replica{number}", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    while True:
        os.write(log, block)


for number in range(int(sys.argv[2])):
    threading.Thread(target=fetch, args=(number,)).start()
