"""A store of documents. As `import`, eight workers insert documents with the write concern j:true: each of 1.5 KB is appended to the worker's journal and
synced before the next. As `serve`, twelve orders a second are appended to a journal and synced. Arguments: the mode, the folder."""
import os
import sys
import threading

import g_steady

mode, folder = sys.argv[1:3]
os.makedirs(folder, exist_ok=True)
with open("/proc/self/comm", "w") as comm:
    comm.write("mongoimportd" if mode == "import" else "orderd")


def commit(file, size):
    os.write(file, b"d" * size)
    os.fdatasync(file)


def journal(name):
    return os.open(f"{folder}/{name}", os.O_CREAT | os.O_WRONLY | os.O_APPEND)


def worker(number):
    file = journal(f"import{number}")
    while True:
        commit(file, 1500)


if mode == "serve":
    orders = journal("orders")
    g_steady.serve(lambda: commit(orders, 300), 12)
for number in range(8):
    threading.Thread(target=worker, args=(number,)).start()
