"""Renders 20 answers of JSON a second, each of which takes 12 ms of a CPU when nobody else computes."""
import json
import time

import pace

rows = [{"id": n, "name": f"item {n}", "price": n * 1.5} for n in range(20)]
began, count = time.process_time(), 0
while time.process_time() - began < 0.5:
    json.dumps(rows)
    count += 1
each = max(1, round(count / 0.5 * 0.012))


def answer():
    for _ in range(each):
        json.dumps(rows)


pace.serve(answer)
