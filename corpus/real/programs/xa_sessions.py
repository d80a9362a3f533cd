"""Makes expired session files of 600 bytes, in twelve folders. Arguments: the folder, the files."""
import os
import sys

for number in range(int(sys.argv[2])):
    folder = f"{sys.argv[1]}/{number % 12}"
    os.makedirs(folder, exist_ok=True)
    with open(f"{folder}/sess_{number:08x}", "wb") as file:
        file.write(b"cart|a:0:{}" * 54)
os.sync()
