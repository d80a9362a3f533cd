"""Recordings of Linux hosts' memory and IO as Arrow tables, their diagnosis, and fleets of them.

>>> import pagetide
>>> recording = pagetide.open("rec")
>>> recording.table("disk").to_pandas()
>>> pagetide.diagnose(recording)["summary"]

The analysis is the code of the ``pagetide`` command, in this process.
"""

import json
from typing import Any

from . import fleet
from ._native import Error, Recording, __version__, open

__all__ = ["Error", "Recording", "__version__", "diagnose", "fleet", "manifest", "open"]


def manifest(recording: Recording) -> dict[str, Any]:
    """What is known of the recorded host: kernel, CPUs, memory, disks, settings (docs/FORMAT.md)."""
    return json.loads(recording.manifest_json())


def diagnose(recording: Recording, from_ns: int | None = None, to_ns: int | None = None) -> dict[str, Any]:
    """What happened, between two moments (ns since 1970-01-01 UTC) or in all: what ``pagetide diagnose --json`` prints."""
    return json.loads(recording.diagnose_json(from_ns, to_ns))
