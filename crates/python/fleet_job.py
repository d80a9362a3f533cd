"""A job for spark-submit: `spark-submit fleet_job.py OUT.csv FOLDER…` writes the rows of the recordings below folders as CSV, the same
bytes as `pagetide fleet FOLDER… --csv`. PAGETIDE_REMOTE names a Spark Connect server (Sail) instead of a cluster."""

import os
import pathlib
import sys

from pyspark.sql import SparkSession

from pagetide import fleet, spark


def main() -> None:
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    builder = SparkSession.builder.appName("pagetide fleet")
    remote = os.environ.get("PAGETIDE_REMOTE")
    session = (builder.remote(remote) if remote else builder).getOrCreate()
    rows = spark.rows(session, sys.argv[2:]).toArrow()
    pathlib.Path(sys.argv[1]).write_bytes(fleet.csv(rows))
    answers = fleet.reduce(rows)
    session.stop()
    print(f"{rows.num_rows} rows of {answers['hosts']} hosts, {answers['incident_hours']} hours with incidents")


main()
