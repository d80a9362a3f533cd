"""Rows by Spark in this process, where Spark and Java are installed (`make demo-fleet` has the cluster)."""

import os
import pathlib
import shutil
import sys
from types import SimpleNamespace

import pyarrow
import pytest
from pyarrow import fs

pytest.importorskip("pyspark")
if shutil.which("java") is None:
    pytest.skip("Java is not installed", allow_module_level=True)

from pyspark.sql import SparkSession

from pagetide import fleet
from pagetide import spark as fleet_on_spark

CORPUS = pathlib.Path(__file__).parents[3] / "fixtures" / "corpus"
FOLDERS = [str(CORPUS / name) for name in ["stream-floods-cache-1", "swap-thrash-1", "control-warm-1"]]


@pytest.fixture(scope="module")
def session():
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    yield session
    session.stop()


def test_rows_are_the_same_bytes(session, tmp_path):
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "manifest.json").write_text("{")
    folders = [*FOLDERS, str(tmp_path)]
    here = pyarrow.concat_tables(fleet.map_path(path) for folder in folders for path in fleet.recordings(folder))
    rows = fleet_on_spark.rows(session, folders)
    assert fleet.csv(rows.toArrow()) == fleet.csv(here)
    answers = fleet_on_spark.answers(rows)
    assert (answers["recordings"], answers["problems"][0]["problem"]) == (4, "unreadable")


def test_workers_of_another_version_are_refused(session, monkeypatch):
    monkeypatch.setattr(fleet_on_spark, "MADE_BY", "0.0.1-0")
    with pytest.raises(Exception, match="0.0.1-0 on the driver"):
        fleet_on_spark.rows(session, FOLDERS[:1]).collect()


def test_recordings_in_a_store_give_the_same_rows(session):
    store = fs.SubTreeFileSystem(str(CORPUS), fs.LocalFileSystem())
    names = [pathlib.Path(folder).name for folder in FOLDERS]
    stored = fleet.csv(fleet_on_spark.rows(session, names, filesystem=store).toArrow())
    assert stored == fleet.csv(fleet_on_spark.rows(session, FOLDERS).toArrow()).replace(f"{CORPUS}/".encode(), b"")


def test_a_store_that_fails_for_good_is_a_row(monkeypatch):
    def failing(*_):
        raise OSError("the store is gone")

    sent = []
    monkeypatch.setattr(fleet, "map_unit", failing)
    fleet_on_spark._send(SimpleNamespace(send_bytes=sent.append), "bucket/a", "2026-11-21", None, 2**62, None)
    row = pyarrow.ipc.open_stream(sent[0]).read_all().to_pylist()[0]
    assert (row["problem"], row["problem_text"]) == ("unreadable", "bucket/a: the store is gone")


def dying(*_):
    os._exit(7)


def test_a_day_that_ends_its_process_is_a_row(monkeypatch):
    recording = fleet.recordings(FOLDERS[0])[0]
    (unit,) = fleet.units(recording)
    assert fleet_on_spark._isolated(*unit, None, 2**62, None) == fleet.map_unit(*unit, None, 2**62)
    monkeypatch.setattr(fleet_on_spark, "_send", dying)
    row = fleet_on_spark._isolated(*unit, None, 2**62, None).to_pylist()[0]
    assert (row["problem"], row["recording"]) == ("crashed", recording)
    assert row["problem_text"].endswith("ended with code 7")
