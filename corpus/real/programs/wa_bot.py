"""A bot that takes no cookies: each of its visits leaves a session of 128 KB in the folder, 120 a second. Arguments: folder, MB in all."""
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("php-fpm")
text, began = b"cart|a:0:{}" * 11915, time.time()
for number in range(int(sys.argv[2]) * 8):
    with open(f"{sys.argv[1]}/sess_{number}", "wb", 0) as file:
        file.write(text)
    time.sleep(max(0, began + number / 120 - time.time()))
time.sleep(10000)
