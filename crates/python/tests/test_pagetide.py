"""The package on recordings of the corpus, compared with the command where that says the same."""

import json
import os
import pathlib
import subprocess
import sys

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


def test_a_name_that_is_no_ascii_is_the_problem_of_one_recording(tmp_path):
    for number, name in enumerate(["2026112\u20ac-1.log", "\u0661\u0662-1.log"]):
        (tmp_path / f"stranger-{number}" / "open").mkdir(parents=True)
        (tmp_path / f"stranger-{number}" / "open" / name).write_bytes(b"x")
        (tmp_path / f"stranger-{number}" / "manifest.json").write_text('{"schema_version": 1}')
    (tmp_path / "warm").symlink_to(WARM)
    strangers = fleet.recordings(tmp_path)
    assert len(strangers) == 2
    rows = pyarrow.concat_tables(fleet.map_path(path, until_ns=UNTIL) for path in [*strangers, WARM])
    assert rows["problem"].to_pylist()[:2] == ["empty", "empty"]
    assert rows.slice(2).equals(fleet.map_path(WARM, until_ns=UNTIL))


#: Opens a recording in 3 GiB of address space and maps it; prints the error and the problem of its row.
HOSTILE = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
import pagetide
from pagetide import fleet
try:
    pagetide.diagnose(pagetide.open(sys.argv[1]))
except pagetide.Error as error:
    print(error)
print(fleet.map_path(sys.argv[1])["problem"].to_pylist()[0])
"""


@pytest.mark.skipif("PAGETIDE_BOMBS" not in os.environ, reason="PAGETIDE_BOMBS names a folder that the example `bombs` of the fuzz crate filled")
@pytest.mark.parametrize("name", ["log-one-sample", "log-wide-rows", "row-groups"])
def test_a_bomb_is_an_error_and_a_row(name):
    bomb = pathlib.Path(os.environ["PAGETIDE_BOMBS"]) / name
    words = [sys.executable, "-c", HOSTILE, str(bomb)]
    ended = subprocess.run(words, capture_output=True, text=True, env=os.environ | {"OPENBLAS_NUM_THREADS": "1"})
    assert ended.returncode == 0, ended.stderr
    error, problem = ended.stdout.rsplit("\n", 2)[:2]
    assert " exceeds " in error and problem not in ("", "None"), ended.stdout


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
