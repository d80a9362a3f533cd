import os

import pyarrow

__version__: str
MADE_BY: str
ROW_VERSION: int

class Error(Exception):
    """What is wrong, where, and the hint that fixes it."""

class Recording:
    """A recording on disk."""

    @property
    def path(self) -> os.PathLike[str]:
        """Its folder."""
    @property
    def damage(self) -> list[str]:
        """A sentence for each damaged file that was read so far."""
    def manifest_json(self) -> str:
        """The manifest as JSON."""
    def table(
        self, name: str, from_ns: int | None = None, to_ns: int | None = None, metrics: list[str] | None = None
    ) -> pyarrow.Table:
        """A table (`host`, `disk`, `process`, `cgroup`, `zone`, …) with its raw counters: time, entity, label, metrics.

        Times are ns since 1970-01-01 UTC. What was not recorded is null. The unit and the kind of a metric are in its field's metadata."""
    def diagnose_json(self, from_ns: int | None = None, to_ns: int | None = None) -> str:
        """What happened, as JSON."""

class Table:
    """A table that pyarrow, pandas and polars can take."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...
    def __len__(self) -> int: ...

def open(path: str | os.PathLike[str]) -> Recording:
    """Opens a recording: its folder, or a run's folder."""

def columns() -> list[tuple[str, str, str]]: ...
def recordings(folder: str | os.PathLike[str]) -> list[str]: ...
def units(recording: str, from_ns: int | None, until_ns: int) -> list[tuple[str, str | None]]: ...
def in_range(date: str, from_ns: int | None, until_ns: int) -> bool: ...
def map_unit(recording: str, date: str | None, from_ns: int | None, until_ns: int) -> pyarrow.Table: ...
def problem(recording: str, problem: str, text: str) -> pyarrow.Table: ...
def csv(table: object) -> bytes: ...
def reduce(table: object, labels: dict[str, dict[str, str]], split: str | None, split_at_ns: int | None) -> str: ...
