"""A column store changes one column of a table: it reads each part, and writes it anew next to the others, through the page cache."""
import os

open("/proc/self/comm", "w").write("MutatePart")
os.makedirs("/data/clickhouse", exist_ok=True)
for part in 1, 2, 3, 4, 5, 6:
    with open(f"/bulk/media/part{part}", "rb", 0) as old, open(f"/data/clickhouse/tmp_mut_{part}", "wb", 0) as new:
        while block := old.read(1 << 20):
            new.write(block[::-1])
