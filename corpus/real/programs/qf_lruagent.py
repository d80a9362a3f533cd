"""An agent that frees the old generations of a group through debugfs (lru_gen): every two seconds it ages the group's pages and evicts all but the
youngest. Argument: the group."""
import os
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("wsestimator")
FILE = "/sys/kernel/debug/lru_gen"


def newest():
    """The group's id, and its youngest generation."""
    here, number, last = False, None, None
    with open(FILE) as file:
        for line in file:
            words = line.split()
            if words[:1] == ["memcg"]:
                here = len(words) > 2 and words[2] == "/" + sys.argv[1]
                number = words[1] if here else number
            elif here and words and words[0].isdigit():
                last = int(words[0])
    return number, last


def tell(line):
    file = os.open(FILE, os.O_WRONLY)
    try:
        os.write(file, line.encode())
    except OSError:
        pass
    os.close(file)


while True:
    number, last = newest()
    tell(f"+ {number} 0 {last}\n")
    number, last = newest()
    tell(f"- {number} 0 {last - 2}\n")
    time.sleep(2)
