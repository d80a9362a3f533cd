"""The package on recordings of the corpus, compared with the command where that says the same."""

import json
import os
import pathlib
import subprocess

import pyarrow
import pytest

import pagetide
from pagetide import fleet

TOP = pathlib.Path(__file__).parents[3]
CORPUS = TOP / "fixtures" / "corpus"
STREAM = str(CORPUS / "stream-floods-cache-1" / "recording")
WARM = str(CORPUS / "control-warm-1" / "recording")
#: A day after the recordings of the corpus.
UNTIL = 1_795_400_000_000_000_000


def test_a_recording_has_tables_with_units():
    recording = pagetide.open(STREAM)
    assert pagetide.manifest(recording)["kernel"].startswith("6.1")
    disk = recording.table("disk")
    assert disk.column_names[:3] == ["time", "entity", "label"]
    assert {"vda", "vdb"} <= set(disk["entity"].to_pylist())
    assert disk.schema.field("reads").metadata[b"kind"] == b"counter"
    host = recording.table("host", metrics=["MemFree"])
    assert host.column_names == ["time", "MemFree"]
    assert host.num_rows == 38
    assert host["time"].type == pyarrow.timestamp("ns", "UTC")


def test_a_recording_is_diagnosed():
    diagnosis = pagetide.diagnose(pagetide.open(STREAM))
    assert diagnosis["cause"]["rule"] == "stream-floods-cache"


def test_a_folder_without_a_recording_is_one_line_with_a_hint(tmp_path):
    with pytest.raises(pagetide.Error, match="not a recording.*pagetide record"):
        pagetide.open(tmp_path)
    with pytest.raises(pagetide.Error, match="no table `disks`.*disk"):
        pagetide.open(STREAM).table("disks")


def test_rows_are_one_for_each_hour_and_of_the_schema():
    rows = fleet.map_path(STREAM, until_ns=UNTIL)
    assert rows.schema == fleet.SCHEMA
    assert rows["cause"].to_pylist() == ["stream-floods-cache"]
    assert fleet.map_path("/nowhere")["problem"].to_pylist() == ["unreadable"]


def test_answers_take_tables_of_any_library():
    rows = pyarrow.concat_tables(fleet.map_path(path, until_ns=UNTIL) for path in [STREAM, WARM, "/nowhere"])
    answers = fleet.reduce(rows)
    assert (answers["recordings"], answers["problems"][0]["problem"]) == (3, "unreadable")
    large = rows.cast(pyarrow.schema([(f.name, pyarrow.large_string() if f.type == pyarrow.string() else f.type) for f in rows.schema]))
    assert fleet.reduce(large) == answers
    with pytest.raises(pagetide.Error, match="no host has the attribute `colour`"):
        fleet.reduce(rows, split="colour")
    other = rows.set_column(1, "made_by", pyarrow.array(["0.0.1-0"] * rows.num_rows))
    with pytest.raises(pagetide.Error, match="different versions"):
        fleet.reduce(pyarrow.concat_tables([rows, other]))


@pytest.mark.skipif("PAGETIDE" not in os.environ, reason="PAGETIDE names the command to compare with")
def test_rows_and_diagnosis_are_those_of_the_command(tmp_path):
    command = [os.environ["PAGETIDE"]]
    rows = pyarrow.concat_tables(fleet.map_path(path) for path in fleet.recordings(CORPUS / "stream-floods-cache-1"))
    printed = subprocess.run([*command, "fleet", CORPUS / "stream-floods-cache-1", "--no-cache", "--csv"], capture_output=True, check=True)
    assert fleet.csv(rows) == printed.stdout
    printed = json.loads(subprocess.run([*command, "diagnose", STREAM, "--json"], capture_output=True, check=True).stdout)
    diagnosis = pagetide.diagnose(pagetide.open(STREAM))
    assert diagnosis["summary"] == printed["summary"]
