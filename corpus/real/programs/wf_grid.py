"""A search over a grid of parameters: one worker for each CPU that the job believes to have, each fits without end. Argument: the workers."""
import os
import sys

with open("/proc/self/comm", "w") as comm:
    comm.write("gridsearch")
for number in range(int(sys.argv[1]) - 1):
    if not os.fork():
        break
weights = [0.1] * 50
while True:
    error = sum(weight * weight for weight in weights)
    weights = [weight - 0.001 * weight * error for weight in weights]
