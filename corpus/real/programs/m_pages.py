"""Renders 12 pages a second, 20 ms of a CPU each."""
import time

import pace


def render(rows):
    total = 0
    for row in range(rows):
        total += len(f"<td>{row}</td>")
    return total


began, rows = time.process_time(), 0
while time.process_time() - began < 0.4:
    render(200)
    rows += 200
pace.serve(lambda: render(rows // 20), interval=1 / 12)
