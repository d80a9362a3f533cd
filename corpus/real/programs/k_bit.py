"""A log agent: reads what comes out of a pipe and sends it; when /tmp/go exists the receiver takes no more, and it keeps all in memory."""
import os

with open("/proc/self/comm", "w") as name:
    name.write("fluent-bit")
pipe, kept, down = os.open("/tmp/stdout.pipe", os.O_RDONLY), [], False
while piece := os.read(pipe, 65536):
    down = down or os.path.exists("/tmp/go")
    if down:
        kept.append(piece)
