"""The kernel of a notebook builds a data frame in memory, until few MB of files are cached, and then computes columns of it. Prints nothing.
Arguments: MB of file cache at which it has all its rows, MB/s."""
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("ipykernel")
least, rate, columns = int(sys.argv[1]), float(sys.argv[2]), []


def cached():
    with open("/proc/meminfo") as lines:
        values = {line.split(":")[0]: int(line.split()[1]) for line in lines}
    return (values["Active(file)"] + values["Inactive(file)"]) >> 10


while cached() > least:
    columns.append(bytearray(b"f") * (2 << 20))
    time.sleep(2 / rate)
while True:
    for column in columns:
        column[::4096] = column[1::4096]
        time.sleep(0.02)
