"""A hot backup of an LMDB database of 700 MB onto another disk."""
import lmdb

lmdb.open("/data/map", readonly=True, lock=False).copy("/bulk/mapcopy")
