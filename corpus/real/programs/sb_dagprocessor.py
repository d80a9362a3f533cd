"""The file processor of a scheduler of workflows: each of its slots forks a child for the next file, which compiles and runs 300 generated tasks, and
begins with the next file at once. Argument: the slots. Prints nothing."""
import os
import sys

with open("/proc/self/comm", "w") as comm:
    comm.write("airflow-dagproc")
TASK = "def task{0}(a, b={0}):\n    c = [a * n + b for n in range(20)]\n    return dict(enumerate(c))\ntasks['{0}'] = task{0}(3)\n"
source = "tasks = {}\n" + "".join(TASK.format(n) for n in range(300))


def slot():
    while True:
        child = os.fork()
        if not child:
            exec(compile(source, "dag.py", "exec"), {})
            os._exit(0)
        os.waitpid(child, 0)


for _ in range(int(sys.argv[1]) - 1):
    if not os.fork():
        slot()
slot()
