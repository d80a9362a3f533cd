"""A PHP worker of a file share puts chunks of an upload together: it copies the MB of files into one, in pieces of 256 KB, and syncs nothing.
Arguments: the new file, the MB, the files."""
import sys

with open("/proc/self/comm", "w") as name:
    name.write("php-fpm8.2")
left = int(sys.argv[2]) * 4
with open(sys.argv[1], "wb") as whole:
    while left > 0:
        for chunk in sys.argv[3:]:
            with open(chunk, "rb") as file:
                while left > 0 and (piece := file.read(1 << 18)):
                    whole.write(piece)
                    left -= 1
