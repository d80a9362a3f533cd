"""A fleet on Apache Spark, or on Sail, which speaks its protocol: the rows of `pagetide fleet`, computed by the workers.

>>> from pagetide import spark as fleet_on_spark
>>> rows = fleet_on_spark.rows(spark, ["/nfs/recordings"])
>>> fleet_on_spark.answers(rows)["worst"][0]["host"]

Each task reads days of recordings by their paths, which every worker must see under the same name (NFS), or fetches them from an object
store to local disk: `rows(spark, ["bucket/recordings"], filesystem=pyarrow.fs.S3FileSystem())`. Recordings are data: nothing in them is
executed. Tasks that run twice, because a worker was lost or slow, give the same rows.
"""

import multiprocessing
import os
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pyarrow
from pyarrow.fs import FileSystem

from . import fleet
from ._native import MADE_BY, problem

try:
    from pyspark import TaskContext
    from pyspark.sql import DataFrame, SparkSession
except ImportError as error:
    raise ImportError("pyspark is not installed: pip install 'pagetide[spark]'") from error

__all__ = ["SCHEMA", "answers", "rows"]

_TYPES = {"text": "string", "integer": "bigint", "real": "double"}
#: The schema of rows, as Spark writes schemas.
SCHEMA = ", ".join(f"`{name}` {_TYPES[kind]}" for name, kind, _ in fleet.COLUMNS)
#: Tasks, when there is enough work: a lost task is little work, and no task is a whole huge host.
TASKS = 512
#: Attempts of a task after which each day is read in a process of its own, whose crash is a row.
TRUSTED_ATTEMPTS = 2


def rows(
    spark: SparkSession,
    folders: Iterable[str | os.PathLike[str]],
    since_ns: int | None = None,
    until_ns: int | None = None,
    filesystem: FileSystem | None = None,
) -> DataFrame:
    """The rows of all recordings below folders, one for each hour of each. The driver lists them, the workers read them."""
    until_ns = time.time_ns() if until_ns is None else until_ns
    if filesystem is None:
        # Workers have working folders of their own.
        folders = [os.path.abspath(folder) for folder in folders]
    names = sorted({name for folder in folders for name in fleet.recordings(folder, filesystem)})
    units = [(name, date, MADE_BY) for one in names for name, date in fleet.units(one, since_ns, until_ns, filesystem)]
    if not units:
        raise ValueError("no recording in these folders")
    table = spark.createDataFrame(units, "recording string, date string, made_by string")
    table = table.repartition(min(len(units), TASKS))
    return table.mapInArrow(lambda batches: _map(batches, since_ns, until_ns, filesystem), SCHEMA)


def answers(
    rows: DataFrame,
    labels: Mapping[str, Mapping[str, str]] | None = None,
    split: str | None = None,
    split_at_ns: int | None = None,
) -> dict[str, Any]:
    """The answers that rows give, computed by the driver: what `pagetide fleet --json` prints."""
    return fleet.reduce(rows.toArrow(), labels, split, split_at_ns)


def _map(
    batches: Iterator[pyarrow.RecordBatch], since_ns: int | None, until_ns: int, filesystem: FileSystem | None
) -> Iterator[pyarrow.RecordBatch]:
    context = TaskContext.get()
    isolated = context is not None and context.attemptNumber() >= TRUSTED_ATTEMPTS
    for batch in batches:
        for unit in batch.to_pylist():
            if unit["made_by"] != MADE_BY:
                raise RuntimeError(f"pagetide {unit['made_by']} on the driver and {MADE_BY} on a worker: install one version")
            read = _isolated if isolated else fleet.map_unit
            yield from read(unit["recording"], unit["date"], since_ns, until_ns, filesystem).to_batches()


def _isolated(
    recording: str, date: str | None, since_ns: int | None, until_ns: int, filesystem: FileSystem | None
) -> pyarrow.Table:
    """The rows of a unit, read in a process of its own: where that ends before it is done, the row says so."""
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=_send, args=(sender, recording, date, since_ns, until_ns, filesystem))
    child.start()
    sender.close()
    try:
        content = receiver.recv_bytes()
    except EOFError:
        child.join()
        return problem(recording, "crashed", f"the process that read {date or 'it'} ended with code {child.exitcode}")
    child.join()
    return pyarrow.ipc.open_stream(content).read_all()


def _send(
    sender: Any, recording: str, date: str | None, since_ns: int | None, until_ns: int, filesystem: FileSystem | None
) -> None:
    try:
        table = fleet.map_unit(recording, date, since_ns, until_ns, filesystem)
    except OSError as error:
        table = problem(recording, "unreadable", f"{recording}: {error}")
    sink = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    sender.send_bytes(sink.getvalue().to_pybytes())
