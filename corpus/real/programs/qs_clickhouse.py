"""A server of queries on a Unix socket. It loads MB of dictionaries first. While the file /tmp/mutation exists, a mutation runs, also after a restart,
and takes memory without bound. Prints nothing. Arguments: MB of dictionaries, MB/s of the mutation, seconds of loading."""
import os
import socket
import sys
import threading
import time

import qs_query

PATH = "/tmp/clickhouse.sock"


def mutation(rate):
    while not os.path.exists("/tmp/mutation"):
        time.sleep(0.5)
    time.sleep(1)
    rows = []
    while True:
        rows.append(bytearray(b"r") * 1048576)
        time.sleep(1 / rate)


def main():
    qs_query.name("clickhouse-serv")
    size, rate, loading = int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3])
    held = []
    for _ in range(size):
        held.append(bytearray(b"d") * 1048576)
        time.sleep(loading / size)
    if os.path.exists(PATH):
        os.unlink(PATH)
    server = socket.socket(socket.AF_UNIX)
    server.bind(PATH)
    server.listen(64)
    threading.Thread(target=mutation, args=(rate,), daemon=True).start()
    while True:
        client, _ = server.accept()
        client.recv(100)
        client.sendall(b"%d" % sum(block[0] for block in held))
        client.close()


if __name__ == "__main__":
    main()
