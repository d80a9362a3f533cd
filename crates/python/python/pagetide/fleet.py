"""Many hosts: recordings mapped to rows, rows reduced to answers (docs/FLEET.md).

>>> from pagetide import fleet
>>> rows = pyarrow.concat_tables(fleet.map_path(path) for path in fleet.recordings("/srv/recordings"))
>>> fleet.reduce(rows)["worst"][0]["host"]

Rows are the same as those of ``pagetide fleet --csv``, byte for byte.
"""

import json
import os
import time
from collections.abc import Mapping
from typing import Any

import pyarrow
from pyarrow.fs import FileSystem

from . import _native, _stored
from ._native import MADE_BY, ROW_VERSION

__all__ = ["COLUMNS", "MADE_BY", "ROW_VERSION", "SCHEMA", "csv", "map_path", "map_unit", "recordings", "reduce", "units"]

#: The columns of rows: name, type (``text``, ``integer``, ``real``), meaning.
COLUMNS: list[tuple[str, str, str]] = _native.columns()

_TYPES = {"text": pyarrow.string(), "integer": pyarrow.int64(), "real": pyarrow.float64()}

#: The schema of rows.
SCHEMA: pyarrow.Schema = pyarrow.schema([(name, _TYPES[kind]) for name, kind, _ in COLUMNS])


def recordings(folder: str | os.PathLike[str], filesystem: FileSystem | None = None) -> list[str]:
    """The recordings below a folder, by name. `filesystem` is one of `pyarrow.fs` that has the folder, such as an object store's."""
    return _native.recordings(folder) if filesystem is None else _stored.recordings(filesystem, str(folder))


def units(
    recording: str, since_ns: int | None = None, until_ns: int | None = None, filesystem: FileSystem | None = None
) -> list[tuple[str, str | None]]:
    """The units of work of a recording: its UTC days. A day is None where the whole recording has a problem."""
    since_ns, until_ns = _hour(since_ns), _now(until_ns)
    if filesystem is None:
        return _native.units(recording, since_ns, until_ns)
    return _stored.units(filesystem, recording, since_ns, until_ns)


def map_unit(
    recording: str,
    date: str | None,
    since_ns: int | None = None,
    until_ns: int | None = None,
    filesystem: FileSystem | None = None,
) -> pyarrow.Table:
    """The rows of one day of a recording. What is wrong with it is in a row: nothing is raised but an OSError of `filesystem`, from which
    the day's files are fetched to local disk."""
    since_ns, until_ns = _hour(since_ns), _now(until_ns)
    if filesystem is None:
        return _native.map_unit(recording, date, since_ns, until_ns)
    return _stored.map_unit(filesystem, recording, date, since_ns, until_ns)


def map_path(
    recording: str, since_ns: int | None = None, until_ns: int | None = None, filesystem: FileSystem | None = None
) -> pyarrow.Table:
    """The rows of a recording, one for each hour. Days are UTC; `until_ns` is now when left out."""
    until_ns = _now(until_ns)
    days = units(recording, since_ns, until_ns, filesystem)
    return pyarrow.concat_tables(map_unit(name, date, since_ns, until_ns, filesystem) for name, date in days)


def reduce(
    rows: Any,
    labels: Mapping[str, Mapping[str, str]] | None = None,
    split: str | None = None,
    split_at_ns: int | None = None,
) -> dict[str, Any]:
    """The answers that rows give: what ``pagetide fleet --json`` prints (docs/JSON.md).

    `rows` is anything with the Arrow stream interface: a table of pyarrow, pandas or polars. `labels` are attributes by host."""
    labels = {host: {name: str(value) for name, value in of_host.items()} for host, of_host in (labels or {}).items()}
    return json.loads(_native.reduce(_table(rows), labels, split, split_at_ns))


def csv(rows: Any) -> bytes:
    """Rows as ``pagetide fleet --csv`` prints them, sorted as there."""
    return _native.csv(_table(rows))


def _table(rows: Any) -> pyarrow.Table:
    """The table with the types of the columns: engines have several for texts."""
    table = pyarrow.table(rows)
    names = [name for name in SCHEMA.names if name in table.column_names]
    return table.select(names).cast(pyarrow.schema([SCHEMA.field(name) for name in names]))


def _now(until_ns: int | None) -> int:
    return time.time_ns() if until_ns is None else until_ns


def _hour(since_ns: int | None) -> int | None:
    return None if since_ns is None else since_ns - since_ns % 3_600_000_000_000
