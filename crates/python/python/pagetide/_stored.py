"""Recordings in object stores, or in whatever else pyarrow has a file system for. A day's files are fetched to local disk, read, removed."""

import pathlib
import re
import shutil
import tempfile
from collections.abc import Iterator

import pyarrow
import pyarrow.compute
from pyarrow import fs

from . import _native
from ._native import Error

#: A sealed file, below its recording's folder. Nothing else is fetched but the manifest: no name can lead out of the local folder.
_SEALED = re.compile(r"([a-z_]+)/host=([^/]+)/date=([^/]+)/[^/]+\.parquet")
_MANIFEST = "manifest.json"
#: How deep below its recording's folder a sealed file is: table, host, date, file.
_DEPTH = 4
_HOST = "/host="


def recordings(filesystem: fs.FileSystem, folder: str) -> list[str]:
    """The recordings below a folder, by name, as on a local disk."""
    hosts: dict[str, set[str]] = {}
    try:
        found = list(_files(filesystem, folder))
    except OSError as error:
        raise Error(f"{folder}: {error} (name a folder of this file system that has recordings)") from error
    for path in found:
        top, name = _divided(path)
        if name == _MANIFEST:
            hosts.setdefault(top, set())
        elif sealed := _SEALED.fullmatch(name):
            hosts.setdefault(top, set()).update({sealed[2]} if sealed[1] == "sample" else ())
    names = []
    for top, of_tree in hosts.items():
        names += [f"{top}{_HOST}{host}" for host in of_tree] if len(of_tree) > 1 else [top]
    return sorted(names)


def units(
    filesystem: fs.FileSystem, recording: str, since_ns: int | None, until_ns: int
) -> list[tuple[str, str | None]]:
    """The days of a recording within a range, by the names of its sealed files. A log that is still written is not read from there."""
    top, host = _located(recording)
    names = (_SEALED.fullmatch(_divided(path)[1]) for path in _files(filesystem, top))
    dates = {sealed[3] for sealed in names if sealed and host in (None, sealed[2])}
    days = [date for date in sorted(dates) if _native.in_range(date, since_ns, until_ns)]
    return [(recording, date) for date in days] or [(recording, None)]


def map_unit(
    filesystem: fs.FileSystem, recording: str, date: str | None, since_ns: int | None, until_ns: int
) -> pyarrow.Table:
    """The rows of a day of a recording. An OSError of the file system is raised."""
    top, host = _located(recording)
    with tempfile.TemporaryDirectory(prefix="pagetide-") as folder:
        for path in _of_day(filesystem, top, host, date):
            local = pathlib.Path(folder, path.removeprefix(f"{top}/"))
            local.parent.mkdir(parents=True, exist_ok=True)
            with filesystem.open_input_stream(path) as source, local.open("wb") as target:
                shutil.copyfileobj(source, target)
        name = folder if host is None else f"{folder}{_HOST}{host}"
        rows = _native.map_unit(name, date, since_ns, until_ns)
    return _renamed(rows, (name, recording), (folder, top))


def _renamed(rows: pyarrow.Table, *names: tuple[str, str]) -> pyarrow.Table:
    """The rows with the names of the store for those of the local folder."""
    for column in ("recording", "problem_text"):
        at = rows.schema.get_field_index(column)
        values = rows[column]
        for local, stored in names:
            values = pyarrow.compute.replace_substring(values, local, stored)
        rows = rows.set_column(at, rows.schema.field(at), values)
    return rows


def _of_day(filesystem: fs.FileSystem, top: str, host: str | None, date: str | None) -> Iterator[str]:
    """The manifest, and the sealed files of a day."""
    if filesystem.get_file_info(f"{top}/{_MANIFEST}").type == fs.FileType.File:
        yield f"{top}/{_MANIFEST}"
    if date is None:
        return
    for table in _folders(filesystem, top):
        for partition in _folders(filesystem, table) if host is None else [f"{table}{_HOST}{host}"]:
            day = fs.FileSelector(f"{partition}/date={date}", allow_not_found=True)
            paths = [info.path for info in filesystem.get_file_info(day)]
            yield from (path for path in paths if _SEALED.fullmatch(path.removeprefix(f"{top}/")))


def _folders(filesystem: fs.FileSystem, folder: str) -> list[str]:
    below = filesystem.get_file_info(fs.FileSelector(folder, allow_not_found=True))
    return [info.path for info in below if info.type == fs.FileType.Directory]


def _files(filesystem: fs.FileSystem, folder: str) -> Iterator[str]:
    below = filesystem.get_file_info(fs.FileSelector(folder, recursive=True))
    return (info.path for info in below if info.type == fs.FileType.File)


def _divided(path: str) -> tuple[str, str]:
    """The folder of the recording that a file would be of, and the name below it."""
    if path.rpartition("/")[2] == _MANIFEST:
        return path.rpartition("/")[0], _MANIFEST
    parts = path.split("/")
    return "/".join(parts[:-_DEPTH]), "/".join(parts[-_DEPTH:])


def _located(recording: str) -> tuple[str, str | None]:
    """The tree, and the host where the recording is one of several in it."""
    top, mark, host = recording.rpartition(_HOST)
    return (top, host) if mark and "/" not in host else (recording, None)
