"""A suite of tests that starts a database in a container for each of its classes, with its data in memory, and never removes one: every 1.2 s it
writes 34 MB more into a folder, up to so many containers. Arguments: the folder, the containers."""
import os
import sys
import time

page = os.urandom(1 << 20)
for container in range(int(sys.argv[2])):
    if os.fork() == 0:
        with open("/proc/self/comm", "w") as name:
            name.write("mysqld")
        folder = f"{sys.argv[1]}/mysql-{container}"
        os.makedirs(folder)
        with open(f"{folder}/ibdata1", "wb", buffering=0) as data:
            for _ in range(34):
                data.write(page)
                time.sleep(0.02)
        time.sleep(10000)
    time.sleep(1.2)
time.sleep(10000)
