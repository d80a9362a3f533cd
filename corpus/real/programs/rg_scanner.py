"""An office scanner stores pages in a folder of a file server: 12 times a second it appends 256 KB, without a sync, to one of six files that it
uses in turn. Argument: the folder. Prints clock, blocks and ms of each."""
import os
import sys

import g_steady

block = os.urandom(262144)
files = []
for number in range(6):
    files.append(os.open(f"{sys.argv[1]}/scan{number}.pdf", os.O_CREAT | os.O_WRONLY))
count = 0


def request():
    global count
    os.pwrite(files[count // 32 % 6], block, count % 32 * 262144)
    count += 1


g_steady.serve(request, 12)
