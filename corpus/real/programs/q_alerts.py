"""Evaluates the rules of alerts: twice a second a burst of six, each of which takes 8 ms of a CPU when nobody else computes. A rule's time counts
from the beginning of its burst. Prints in each second how many were evaluated, and their mean ms."""
import time


def rule(count):
    value = 7
    for n in range(count):
        value = value * 33 % 999983


began, count = time.process_time(), 0
while time.process_time() - began < 0.5:
    rule(1000)
    count += 1000
each = int(count / 0.5 * 0.008)
done, took, now, due = 0, 0.0, int(time.time()), time.time()
while True:
    due = max(due + 0.5, time.time() - 1)
    time.sleep(max(0, due - time.time()))
    for _ in range(6):
        rule(each)
        done, took = done + 1, took + time.time() - due
    if int(time.time()) != now:
        print(now, done, round(took / done * 1000, 1), flush=True)
        done, took, now = 0, 0.0, int(time.time())
