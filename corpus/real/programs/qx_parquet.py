"""An aggregation over files of columns: of each row group of 6 MB it reads two of the three columns, once, and adds them up into a table that stays
as large as it is. Prints nothing. Arguments: MB a second, MB of the table, the files."""
import os
import sys
import time

import numpy

with open("/proc/self/comm", "w") as name:
    name.write("duckdb")
rate, table, done = float(sys.argv[1]), numpy.ones(int(sys.argv[2]) << 17), 0
began = time.time()
for path in sys.argv[3:]:
    file = os.open(path, os.O_RDONLY)
    for group in range(0, os.fstat(file).st_size, 6 << 20):
        for column in range(2):
            for page in range(2):
                part = numpy.frombuffer(os.pread(file, 1 << 20, group + (2 * column + page << 20)), dtype=numpy.uint8)
                table[done % 1000] += int(part[::64].sum())
                done += 1
                time.sleep(max(0, began + done / rate - time.time()))
time.sleep(10000)
