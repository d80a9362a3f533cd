"""The studies of a search for hyperparameters, each a log that a worker appends to: for each intermediate value a lock file is made, a line is appended and
synced, and the lock file removed. Arguments: the folder, the studies."""
import os
import sys
import threading

with open("/proc/self/comm", "w") as name:
    name.write("hposearch")
os.makedirs(sys.argv[1], exist_ok=True)
line = b'{"op_code": 7, "worker_id": "w", "trial_id": 1, "step": 1, "intermediate_value": 0.5}\n' * 4


def study(number):
    path = f"{sys.argv[1]}/study{number}.log"
    log = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    while True:
        os.close(os.open(path + ".lock", os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        os.write(log, line)
        os.fsync(log)
        os.unlink(path + ".lock")


for number in range(int(sys.argv[2])):
    threading.Thread(target=study, args=(number,)).start()
