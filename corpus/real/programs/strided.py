"""A file of 700 MB is mapped and read column by column."""
import numpy

table = numpy.memmap("/data/map/data.mdb", mode="r")
table = table[:table.size // 4096 * 4096].reshape(-1, 4096)
for column in range(4096):
    table[:, column].sum()
