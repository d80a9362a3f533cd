"""Scores 20 customers a second by a small model, a few ms of a CPU each; a request waits when the last one is late."""
import h_open

with open("/proc/self/comm", "w") as comm:
    comm.write("modelserver")


def score():
    total = 0.0
    for weight in range(2500):
        total = total * 0.5 + weight


h_open.serve(score, 20)
