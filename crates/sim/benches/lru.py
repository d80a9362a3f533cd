"""libCacheSim's LRU on a trace, beside the model: crates/sim/benches/lru.rs. Usage: lru.py TRACE PAGES

Each line on stdin is a round; its rate is printed, in million accesses a second. The trace is read by libCacheSim's own reader.
"""
import sys
import time

import libcachesim

reader = libcachesim.TraceReader(sys.argv[1], libcachesim.TraceType.ORACLE_GENERAL_TRACE, libcachesim.ReaderInitParam())
cache = libcachesim.LRU(cache_size=int(sys.argv[2]), hashpower=20)
for _ in sys.stdin:
    reader.reset()
    began = time.perf_counter()
    cache.process_trace(reader)
    print(reader.get_num_of_req() / (time.perf_counter() - began) / 1e6, flush=True)
