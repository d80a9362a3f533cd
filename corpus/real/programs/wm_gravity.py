"""Builds the block list of a name server: sorts some domains, and writes them to a new sqlite database in one transaction, again and again with a pause.
Arguments: the database, the domains."""
import os
import random
import sqlite3
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("gravity")
while True:
    if os.path.exists(sys.argv[1]):
        os.remove(sys.argv[1])
    domains = sorted("ads%x.example" % random.getrandbits(48) for _ in range(int(sys.argv[2])))
    base = sqlite3.connect(sys.argv[1])
    base.execute("create table gravity (domain text)")
    base.executemany("insert into gravity values (?)", ((domain,) for domain in domains))
    base.execute("create index by_domain on gravity (domain)")
    base.commit()
    base.close()
    time.sleep(5)
