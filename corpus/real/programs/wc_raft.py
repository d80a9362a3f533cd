"""A member of a cluster appends the entries of ten proposals a second to its log, and syncs each."""
import os

import wc_load

log = os.open("/data/raft.wal", os.O_CREAT | os.O_WRONLY | os.O_APPEND)


def propose():
    os.write(log, b"e" * 3000)
    os.fdatasync(log)


wc_load.serve(propose, 10, "raftd")
