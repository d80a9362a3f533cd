"""Workers that allocate 80 MiB each, at once, and end."""
held = bytearray(b"x") * (80 << 20)
