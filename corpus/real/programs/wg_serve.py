"""Calls a request at a steady rate from several threads, and prints in each second clock, requests and ms of each, and 0 when all wait."""
import threading
import time

done, took = 0, 0.0


def work(request, interval):
    global done, took
    due = time.time()
    while True:
        began = time.time()
        request()
        done, took = done + 1, took + time.time() - began
        due = max(due + interval, time.time() - interval)
        time.sleep(max(0, due - time.time()))


def serve(request, rate, threads=1):
    global done, took
    for _ in range(threads):
        threading.Thread(target=work, args=(request, threads / rate), daemon=True).start()
        time.sleep(1 / rate)
    while True:
        time.sleep(1 - time.time() % 1)
        count, spent, done, took = done, took, 0, 0.0
        print(int(time.time()), count, *([round(spent / count * 1000, 1)] if count else []), flush=True)
