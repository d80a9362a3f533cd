"""The API of a container: reads its templates, 30 MB in three seconds, and answers ten requests a second; prints 0 before that. From when /tmp/go exists
somebody asks for a report, which sqlite sorts in memory (temp_store), and asks again after a restart."""
import os
import sqlite3
import threading
import time

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("reportapi")
templates = []
for second in range(3):
    print(int(time.time()), 0, flush=True)
    templates += [bytearray(b"t") * (1 << 20) for _ in range(10)]
    time.sleep(1)


def report():
    while not os.path.exists("/tmp/go"):
        time.sleep(0.2)
    time.sleep(2)
    base = sqlite3.connect("file:/data/lite.db?mode=ro", uri=True)
    base.execute("pragma temp_store=memory")
    base.execute("select id, body from item where id < 400000 order by substr(body, 9)").fetchone()


threading.Thread(target=report, daemon=True).start()
g_steady.serve(lambda: sum(templates[3][:2000]), 10)
