"""A logger with four files that syncs after each line; each file gets a line every 8 ms."""
import os
import threading
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("syslogd")


def facility(name):
    file = os.open(f"/data/syslog.{name}", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    while True:
        os.write(file, b"debug: retry of the payment gateway, attempt 1, connection reset\n" * 2)
        os.fsync(file)
        time.sleep(0.008)


for name in range(4):
    threading.Thread(target=facility, args=(name,)).start()
