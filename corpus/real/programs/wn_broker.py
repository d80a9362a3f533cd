"""A shard of a message broker: appends a confirmed message of bytes to its queue's log and syncs it, one after the other. Arguments: the log, the bytes."""
import os
import sys

with open("/proc/self/comm", "w") as name:
    name.write("beam.smp")
log, message = os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY | os.O_APPEND), b"m" * int(sys.argv[2])
while True:
    os.write(log, message)
    os.fsync(log)
