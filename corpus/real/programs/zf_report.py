"""Answers reports from the snapshot of a volume, which it has read twice, six random blocks each; from when /tmp/go exists, from another volume.
Arguments: the device, the next one, the MiB, the reports a second."""
import os
import sys

import g_steady
from h_hot import Hot

hot = Hot(sys.argv[1], int(sys.argv[3]))
turned = False


def report():
    global turned
    if not turned and os.path.exists("/tmp/go"):
        turned = True
        hot.file = os.open(sys.argv[2], os.O_RDONLY)
        os.posix_fadvise(hot.file, 0, 0, os.POSIX_FADV_RANDOM)
    hot.read(6)


g_steady.serve(report, float(sys.argv[4]))
