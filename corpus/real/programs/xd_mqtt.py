"""A broker of sensors keeps each message until it is acknowledged: ten sessions append 300 bytes to a file of their own and sync it, each as fast as it may."""
import os
import threading

with open("/proc/self/comm", "w") as name:
    name.write("mqttbroker")
os.makedirs("/data/mqtt", exist_ok=True)


def session(number):
    file = os.open(f"/data/mqtt/session{number}", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    while True:
        os.write(file, b"m" * 300)
        os.fsync(file)


for number in range(10):
    threading.Thread(target=session, args=(number,)).start()
