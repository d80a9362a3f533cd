"""An analytics database gets its rows one at a time, and writes a part for each: a folder with six small files, 15 parts a second, none of which is merged.
Argument: the folder."""
import os
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("clickhouse-serv")
part = 0
while True:
    folder = f"{sys.argv[1]}/all_{part}_{part}_0"
    os.makedirs(folder)
    for column in ("data.bin", "data.mrk3", "checksums.txt", "columns.txt", "count.txt", "primary.cidx"):
        with open(f"{folder}/{column}", "wb", 0) as file:
            file.write(b"c" * 300)
    part += 1
    time.sleep(1 / 15)
