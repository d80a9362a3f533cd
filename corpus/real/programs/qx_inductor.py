"""Compiles a graph: workers that each write a kernel in C, run gcc for it, and take the next. Prints nothing. Arguments: the workers, seconds."""
import os
import subprocess
import sys
import threading
import time

folder, end = "/tmp/inductor", time.time() + float(sys.argv[2])
os.makedirs(folder, exist_ok=True)


def kernel(number):
    return f"""
void kernel{number}(const float *restrict a, const float *restrict b, float *restrict c, long n, long m) {{
    for (long i = 0; i < n; i++) {{
        float sum[8] = {{0}};
        for (long j = 0; j < m; j++)
            for (int k = 0; k < 8; k++) sum[k] += a[i * m + j] * b[j * 8 + k] + {number}.5f * b[k];
        for (int k = 0; k < 8; k++) c[i * 8 + k] = sum[k] > 0 ? sum[k] : 0.01f * sum[k];
    }}
}}
"""


def work(worker):
    while time.time() < end:
        with open(f"{folder}/{worker}.c", "w") as file:
            file.write("".join(map(kernel, range(8))))
        subprocess.run(["gcc", "-O3", "-ffast-math", "-fPIC", "-shared", "-o", f"{folder}/{worker}.so", f"{folder}/{worker}.c"])


for worker in range(int(sys.argv[1])):
    threading.Thread(target=work, args=(worker,)).start()
