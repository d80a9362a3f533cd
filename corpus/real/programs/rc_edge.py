"""A daemon at the edge that routes 20 requests a second, each with a buffer of 300 kB. Once /tmp/sync exists it also takes in the routes of all
clusters: 160 MB more. Prints in each second clock, requests and ms."""
import os
import threading
import time

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("sentinel")
routes = [bytearray(b"r") * (1 << 20) for _ in range(50)]


def sync():
    while not os.path.exists("/tmp/sync"):
        time.sleep(0.5)
    for _ in range(160):
        routes.append(bytearray(b"r") * (1 << 20))
        time.sleep(0.1)


def route():
    answer = bytearray(b"a") * 300000
    answer[0] = 98


threading.Thread(target=sync, daemon=True).start()
g_steady.serve(route, 20)
