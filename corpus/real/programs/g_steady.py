"""Calls a request at a steady rate; a thread of its own prints in each second clock, requests and ms of each, and 0 when all wait."""
import threading
import time

done, took = 0, 0.0


def report():
    global done, took
    while True:
        time.sleep(1 - time.time() % 1)
        count, spent, done, took = done, took, 0, 0.0
        print(int(time.time()), count, *([round(spent / count * 1000, 1)] if count else []), flush=True)


def serve(request, rate):
    global done, took
    threading.Thread(target=report, daemon=True).start()
    due = time.time()
    while True:
        began = time.time()
        request()
        done, took = done + 1, took + time.time() - began
        due = max(due + 1 / rate, time.time() - 1 / rate)
        time.sleep(max(0, due - time.time()))
