"""A broker holds the messages of a queue in memory while its consumer is away: 12 MB a second up to MB, where it stops its publishers, and gives them
out again, 20 MB a second, when the consumer is back. Argument: the MB."""
import sys
import time

messages = []
while len(messages) < int(sys.argv[1]):
    messages.append(bytearray(b"m") * (1 << 20))
    time.sleep(1 / 12)
time.sleep(8)
while messages:
    messages.pop(0)
    time.sleep(1 / 20)
time.sleep(10000)
