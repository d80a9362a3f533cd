"""Scatters a file: takes every other piece of so many KB out of it, so that what remains lies in as many extents. Arguments: file, KB."""
import ctypes
import os
import sys

libc = ctypes.CDLL(None, use_errno=True)
libc.fallocate.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_int64, ctypes.c_int64]
file, piece = os.open(sys.argv[1], os.O_RDWR), int(sys.argv[2]) << 10
for at in range(os.fstat(file).st_size // piece // 2 - 1, -1, -1):
    if libc.fallocate(file, 8, at * 2 * piece, piece):
        sys.exit(os.strerror(ctypes.get_errno()))
os.fsync(file)
