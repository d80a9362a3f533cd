"""Makes 60 000 small files, the files of a repository, a log of 550 MB and the sources of a program. Argument: the folder."""
import os
import random
import sys

bulk = sys.argv[1]
random.seed(7)
for folder in range(600):
    os.makedirs(f"{bulk}/tree/{folder}")
    for name in range(100):
        with open(f"{bulk}/tree/{folder}/{name}", "wb") as file:
            file.write(random.randbytes(random.choice([200, 900, 3000])))
for folder in range(40):
    os.makedirs(f"{bulk}/repo/{folder}")
    for name in range(50):
        with open(f"{bulk}/repo/{folder}/{name}", "wb") as file:
            file.write(random.randbytes(80000))
os.makedirs(f"{bulk}/logs")
with open(f"{bulk}/logs/app.log", "w") as file:
    for line in range(1, 400001):
        noise = "%032x" * 40 % tuple(random.getrandbits(128) for _ in range(40))
        file.write(f"{line:012d} GET /item/{random.randrange(10**9)} {noise}\n")
os.makedirs(f"{bulk}/src")
for unit in range(80):
    with open(f"{bulk}/src/unit{unit}.c", "w") as file:
        for name in range(1500):
            body = f"b[i] += {name} * (a ^ b[i + 1]); if (b[i] & 7) a -= b[i + 2];"
            file.write(f"int f{unit}_{name}(int a, int *b) {{ for (int i = 0; i < a; i++) {{ {body} }} return a; }}\n")
with open(f"{bulk}/src/Makefile", "w") as file:
    file.write("OUT ?= /tmp\nall: $(patsubst %.c,$(OUT)/%.o,$(wildcard *.c))\n$(OUT)/%.o: %.c\n\tgcc -O2 -g -c $< -o $@\n")
