"""Parallel workers of a hash join that write temporary files of 100 MB, again and again, as fast as they may and without a sync.
Arguments: the folder, the number of workers. It prints nothing."""
import os
import sys

with open("/proc/self/comm", "w") as name:
    name.write("hashjoin")
os.makedirs(sys.argv[1], exist_ok=True)
worker = 0
for worker in range(1, int(sys.argv[2])):
    if not os.fork():
        break
else:
    worker = 0
file, piece = os.open(f"{sys.argv[1]}/pgsql_tmp{worker}", os.O_CREAT | os.O_WRONLY), os.urandom(1 << 18)
while True:
    for part in range(400):
        os.pwrite(file, piece, part << 18)
