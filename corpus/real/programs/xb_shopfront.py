"""Asks MariaDB for 15 rows a second by their keys, among the first 60000 of a table; connects again when the server is lost."""
import random
import subprocess
import sys
import time

import g_steady

client = None


def connect():
    global client
    client = subprocess.Popen(["mariadb", "-u", "root", "-S", "/tmp/my", "-N", "--unbuffered", "shop"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, bufsize=0)


def ask():
    try:
        client.stdin.write(b"select length(pad) from item where id = %d;\n" % random.randrange(1, 60000))
        return bool(client.stdout.readline())
    except OSError:
        return False


def request():
    while not ask():
        time.sleep(1)
        client.kill()
        client.wait()
        connect()


connect()
request()
print("connected", file=sys.stderr)
g_steady.serve(request, 15)
