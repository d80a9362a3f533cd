"""Writes rows to standard output as statements, each of which sqlite3 commits by itself. Argument: the name of the table."""
import sys

print(f"create table if not exists {sys.argv[1]} (id integer primary key, body text);")
number = 0
while True:
    number += 1
    print(f"insert into {sys.argv[1]} (body) values ('{number:0400d}');")
