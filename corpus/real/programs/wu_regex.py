"""Tries a filter of failed logins on each line of a log, again and again; the pattern goes back a long way on lines that do not match. Argument: the log."""
import re
import sys

with open("/proc/self/comm", "w") as comm:
    comm.write("fail2ban-regex")
pattern = re.compile(r".*(?:failed|failure).*user.*from (\d+\.){3}\d+|.*[0-9a-f]+.*[0-9a-f]+.*: authentication error")
while True:
    with open(sys.argv[1]) as log:
        for line in log:
            pattern.search(line[:160])
