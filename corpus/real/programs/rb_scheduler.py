"""A scheduler that parses 20 workflow files a second and writes a line to its log for each; from when /tmp/go exists it writes 200 KB for each, with the log of
its processor manager on. Argument: the directory of its logs. Prints clock, files and ms of one."""
import os
import sys

import pace

os.makedirs(sys.argv[1], exist_ok=True)
workflow = "\n".join(f"task{n} = Operator('task{n}', retries={n % 4})" for n in range(25))
lines, number, file = b"INFO - processing file\n" * 9000, 0, None


def parse():
    global number, file
    compile(workflow, "dag", "exec")
    if number % 100 == 0:
        if file is not None:
            os.close(file)
        file = os.open(f"{sys.argv[1]}/manager.log.{number // 100}", os.O_CREAT | os.O_WRONLY)
    os.write(file, lines[:200000] if os.path.exists("/tmp/go") else lines[:100])
    number += 1


pace.serve(parse)
