"""A renderer of PDF reports lays out the journal of a year: it takes 60 MB a second, up to 300 MB, writes and ends. Argument: pages."""
import sys
import time

with open("/proc/self/comm", "w") as file:
    file.write("wkhtmltopdf")
pages = []
for _ in range(int(sys.argv[1])):
    pages.append(bytearray(b"p") * (1 << 20))
    time.sleep(0.015)
print(len(pages), "pages")
