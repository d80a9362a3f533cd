"""A judge of programs that people hand in: compiles one each 1.5 s, with a compiler that lies on the volume of the service."""
import subprocess

import pace

with open("/tmp/answer.c", "w") as file:
    for number in range(12):
        file.write(f"int f{number}(int a, int *b) {{ for (int i = 0; i < a; i++) b[i] = b[i + 1] * {number} ^ a; return b[a / 2] ? a : {number}; }}\n")
pace.serve(lambda: subprocess.run(["/data/cc1", "-quiet", "-O2", "/tmp/answer.c", "-o", "/tmp/answer.s"], check=False), interval=1.5)
