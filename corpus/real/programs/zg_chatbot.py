"""A chat bot that keeps each message with its picture for an answer that never comes: MB a second, up to MB in all. Arguments: MB a second, the MB."""
import os
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("chatbot")
rate, most = float(sys.argv[1]), int(sys.argv[2])
messages, began = {}, time.time()
while True:
    while len(messages) < min(most, (time.time() - began) * rate) * 256:
        messages[len(messages)] = bytearray(b"hello there ") * 335
    time.sleep(0.1)
