#!/usr/bin/env python3
"""Copies recordings of record.py into fixtures/real, with the truth in the form in which the corpus is scored.

Usage: corpus/real/keep.py [--to FOLDER] FOLDER/CASE-KERNEL...
--to: into another folder, which `corpus open` scores. Prints what the service measured before the onset and after. An incident that harmed no
service becomes a control, for which `healthy` is right, and what happened as well."""
import argparse
import pathlib
import re
import shutil
import tomllib

import case

KEPT = case.HERE.parent.parent / "fixtures/real"
DISKS = {"vda", "vdb", "vdc", "vdd", "vde", "loop0", "md0", "zram0"}
GROUPS = {"db", "batch", "cache", "my", "web", "app", "pod"}
# What services log, and how many seconds a line is of.
LOGS = {"pgbench.log": 2, "java.log": 1, "app.log": 1}


def victim(incident):
    """The group of the service that a case harms, and the disks that it can wait for."""
    group = case.SERVICES[incident["service"]["name"]]
    if not group:
        return []
    swap = ["vde"] if incident["machine"]["swap"] else []
    disks = [] if incident["truth"]["causes"][0] == "cpu-bound" else ["vdb", *swap]
    return [f"cgroup:/sys/fs/cgroup/{group}", *(f"disk:{disk}" for disk in disks)]


def origins(name):
    if name in DISKS:
        return [f"disk:{name}"]
    if name in GROUPS:
        return [f"cgroup:/sys/fs/cgroup/{name}"]
    # A process that has the name of its thread.
    return [f"process:{name}"] + (["process:redis-server"] if name == "redis" else [])


def median(values):
    return sorted(values)[len(values) // 2] if values else float("nan")


def points(log, measured):
    """Seconds since the onset, requests per second and ms of each, for every line of a service's log."""
    for line in log.read_text(errors="replace").splitlines():
        if found := re.match(r"progress: ([\d.]+) s, ([\d.]+) tps, lat ([\d.]+|nan) ms", line):
            yield float(found[1]) + measured["served_uptime_s"] - measured["harm_uptime_s"], float(found[2]), float(found[3])
        elif found := re.match(r"(\d+) (\d+)(?: ([\d.]+))?$", line):
            yield int(found[1]) - measured["onset_clock_s"], float(found[2]), float(found[3] or "nan")


def services(folder, measured):
    """Whether each service was harmed, and what it measured before the onset, and in the worst 10 s after it."""
    for log, per in LOGS.items():
        if not (folder / log).exists():
            continue
        rows = list(points(folder / log, measured))
        before = [row for row in rows if -measured["before_s"] < row[0] < 0]
        after = [row for row in rows if per < row[0] < measured["after_s"]]
        worst = [after[at : at + 10 // per] for at in range(max(1, len(after) - 10 // per + 1))]
        # A service that ended logs nothing.
        rate = min(median([row[1] for row in part]) for part in worst) if after else 0.0
        late = max(median([row[2] for row in part]) for part in worst)
        usual, latency = median([row[1] for row in before]), median([row[2] for row in before])
        harmed = rate < usual * 0.8 or late > latency * 2 and late > latency + 10
        yield harmed, f"{log}: {usual:.1f}/s {latency:.1f} ms before, at worst {rate:.1f}/s {late:.1f} ms: {'harmed' if harmed else 'not harmed'}"


def words(names):
    return "[" + ", ".join(f'"{name}"' for name in names) + "]"


def keep(folder, to):
    incident = case.read(folder / "case.toml")
    measured = tomllib.loads((folder / "measured.toml").read_text())
    causes, starts = incident["truth"]["causes"], incident["truth"]["origins"]
    control = causes[0] == "healthy"
    found = list(services(folder, measured))
    print(folder.name, "control" if control else "incident", *(line for _, line in found), sep="\n  ")
    if found and not control and not any(harmed for harmed, _ in found):
        print("  becomes a control: it harmed no service")
        control, causes, starts = True, ["healthy", *causes[:2]], []
    family, kernel = folder.name.rsplit("-", 1)
    kept = to / folder.name
    shutil.rmtree(kept, ignore_errors=True)
    shutil.copytree(folder / "recording", kept / "recording")
    for log in LOGS:
        if (folder / log).exists():
            shutil.copy(folder / log, kept)
    lines = [f'family = "{family}"', "seed = 1", f"control = {str(control).lower()}", f'best = "{causes[0]}"', f"cause = {words(causes)}"]
    if not control:
        if found and found[0][0]:
            lines.append(f"lost = {words(victim(incident))}")
        lines.append(f"onset_ns = {round(measured['onset_uptime_s'] * 1e9)}")
    lines += [f"origin = {words(one for name in starts for one in origins(name))}", f"chosen = {words([kernel])}", f'kernel = "{measured["kernel"]}"']
    (kept / "truth.toml").write_text("\n".join(lines) + "\n")


def main():
    arguments = argparse.ArgumentParser(description="Copies recordings of record.py into fixtures/real, in the form that is scored.")
    arguments.add_argument("--to", type=pathlib.Path, default=KEPT)
    arguments.add_argument("folders", type=pathlib.Path, nargs="+")
    arguments = arguments.parse_args()
    for folder in arguments.folders:
        keep(folder, arguments.to)


main()
