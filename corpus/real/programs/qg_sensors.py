"""A hub of sensors: every so many seconds, all its threads append a value to their journals in /data, in the same moment, and sync them. Arguments: the
threads, the seconds."""
import os
import sys
import threading
import time

with open("/proc/self/comm", "w") as name:
    name.write("sensorhub")
every = float(sys.argv[2])


def sensor(number):
    file = os.open(f"/data/sensor.{number}", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    while True:
        time.sleep(every - time.time() % every)
        os.write(file, b"21.5\n" * 20)
        os.fsync(file)


for number in range(1, int(sys.argv[1])):
    threading.Thread(target=sensor, args=(number,), daemon=True).start()
sensor(0)
