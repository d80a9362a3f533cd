"""Recordings in a store that pyarrow has a file system for: here a part of the local disk under other names, as in an object store."""

import pathlib
import pickle
import shutil
import tempfile

import pyarrow
import pytest
from pyarrow import fs

import pagetide
from pagetide import fleet

CORPUS = pathlib.Path(__file__).parents[3] / "fixtures" / "corpus"
NAMES = ["stream-floods-cache-1", "control-warm-1"]
#: A day after the recordings of the corpus.
UNTIL = 1_795_400_000_000_000_000


@pytest.fixture
def store(tmp_path, monkeypatch):
    """A store with two recordings, two hosts in one tree and a recording whose files are cut; and the folder below it."""
    bucket = tmp_path / "disk" / "bucket"
    for name in NAMES:
        shutil.copytree(CORPUS / name / "recording", bucket / name)
    for name in NAMES:
        for partition in (bucket / name).glob("*/host=*"):
            host = bucket / "tree" / partition.parent.name / f"host={name}"
            shutil.copytree(partition, host)
    shutil.copytree(CORPUS / NAMES[0] / "recording", bucket / "cut")
    for file in bucket.glob("cut/disk/*/*/*.parquet"):
        file.write_bytes(file.read_bytes()[:100])
    (bucket / "empty").mkdir()
    (bucket / "empty" / "manifest.json").write_bytes((bucket / NAMES[0] / "manifest.json").read_bytes())
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    yield fs.SubTreeFileSystem(str(tmp_path / "disk"), fs.LocalFileSystem()), tmp_path / "disk"
    assert not list(scratch.iterdir()), "what was fetched is removed"


def test_rows_are_those_of_the_same_recordings_on_disk(store):
    filesystem, disk = store
    names = fleet.recordings("bucket", filesystem)
    tree = [f"bucket/tree/host={name}" for name in sorted(NAMES)]
    assert names == sorted(["bucket/cut", "bucket/empty", *(f"bucket/{name}" for name in NAMES), *tree])
    assert [name.removeprefix(f"{disk}/") for name in fleet.recordings(disk / "bucket")] == names
    for name in names:
        stored = fleet.map_path(name, until_ns=UNTIL, filesystem=filesystem)
        local = fleet.map_path(f"{disk}/{name}", until_ns=UNTIL)
        assert fleet.csv(stored) == fleet.csv(local).replace(f"{disk}/".encode(), b""), name
    problems = {name: fleet.map_path(name, until_ns=UNTIL, filesystem=filesystem)["problem"].to_pylist() for name in names}
    assert problems == {name: {"bucket/cut": ["damaged"], "bucket/empty": ["empty"]}.get(name, [None]) for name in names}


def test_days_outside_of_the_range_are_not_fetched(store):
    filesystem, _ = store
    name = f"bucket/{NAMES[0]}"
    (unit,) = fleet.units(name, until_ns=UNTIL, filesystem=filesystem)
    assert unit[1] is not None
    assert fleet.units(name, since_ns=UNTIL, until_ns=UNTIL + 1, filesystem=filesystem) == [(name, None)]


def test_a_folder_that_is_not_there_is_one_line_and_a_store_that_fails_is_raised(store):
    filesystem, disk = store
    with pytest.raises(pagetide.Error, match="buckets.*name a folder"):
        fleet.recordings("buckets", filesystem)
    shutil.rmtree(disk / "bucket")
    with pytest.raises(OSError):
        fleet.units("bucket/cut", filesystem=filesystem)


def test_file_systems_reach_workers(store):
    filesystem, _ = store
    again = pickle.loads(pickle.dumps(filesystem))
    assert fleet.map_unit("bucket/cut", None, None, UNTIL, again).num_rows == 1
    assert isinstance(again, fs.FileSystem) and isinstance(fleet.SCHEMA, pyarrow.Schema)
