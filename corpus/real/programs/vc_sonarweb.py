"""The web server of a code analysis keeps 190 MB of issues in its heap; 10 pages a second look at 40 of them, anywhere."""
import random

import pace

heap = bytearray(b"s") * (190 << 20)
pace.serve(lambda: [heap[random.randrange(len(heap))] for _ in range(40)], interval=0.1)
