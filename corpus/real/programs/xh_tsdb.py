"""A database of metrics: answers 12 queries a second, each of which reads 16 blocks at random of 100 MB of its chunks, which it has read before."""
import h_hot
import wc_load

chunks = h_hot.Hot("/data/map/data.mdb", 100)
wc_load.serve(lambda: chunks.read(16), 12, "prometheus")
