"""A gateway opens connections and forgets to close them. Arguments: the connections, how many in a second."""
import resource
import socket
import sys
import time

count, rate = (int(value) for value in sys.argv[1:])
resource.setrlimit(resource.RLIMIT_NOFILE, (2 * count + 100, 2 * count + 100))
began = time.time()
for number in range(count):
    for end in socket.socketpair():
        end.detach()
    if number % 50 == 0:
        time.sleep(max(0, began + number / rate - time.time()))
time.sleep(10000)
