"""A session of somebody who debugs inside a container: loads answers of an interface, MB of them, MB a second, keeps them and waits. Arguments: the MB, MB a
second."""
import random
import sys
import time

answers, pattern = [], random.randbytes(4096)
for _ in range(int(sys.argv[1])):
    answers.append(bytearray(pattern * 256))
    time.sleep(1 / float(sys.argv[2]))
time.sleep(10000)
