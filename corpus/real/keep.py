#!/usr/bin/env python3
"""Copies recordings of record.py into fixtures/real, with the truth in the form that the score reads.

Usage: corpus/real/keep.py [--to FOLDER] FOLDER/CASE-KERNEL...
--to copies into another folder, for `corpus open`. Prints what the service measured before and after the onset. An incident that harmed no
service becomes a control, for which both `healthy` and the cause are right."""
import argparse
import pathlib
import re
import shutil
import sys
import tomllib

import case
from service import LOGS, services

KEPT = case.HERE.parent.parent / "fixtures/real"
DISK = re.compile(r"vd[a-e]|(loop|md|zram|dm-)\d")
# Causes whose origin is the disk that others wait for. The disk of who floods the cache, or fills memory, is another one.
OF_A_DISK = {
    "device-saturated", "device-slow", "dirty-throttled", "fsync-storm", "io-limit", "latency-bound", "noisy-neighbour", "read-ahead-waste",
    "writeback-saturates-disk",
}  # fmt: skip
# Control groups of the services that the guest starts.
GROUPS = {"db", "batch", "cache", "my", "web", "app", "pod"}


def victims(incident):
    """The groups of the service that a case harms, with what it starts before its log, and the disks that it may wait for."""
    group = case.SERVICES[incident["service"]["name"]]
    if group:
        swap = ["vde"] if incident["machine"]["swap"] else []
        groups, disks = [group], [] if incident["truth"]["causes"][0] == "cpu-bound" else ["vdb", *swap]
    else:
        # A service of its own: a program of the case writes its log, or asks the program that was started before.
        until_log = incident["trouble"]["prepare"].partition("app.log")[0]
        groups = re.findall(r"^[^#\n]*?(?:join|within) ([\w./-]+)", until_log, re.MULTILINE)
        known = groups and incident["truth"]["causes"][0] in OF_A_DISK
        disks = [name for name in incident["truth"]["origins"] if DISK.fullmatch(name)] if known else []
    return [f"cgroup:/sys/fs/cgroup/{group}" for group in dict.fromkeys(groups)] + [f"disk:{disk}" for disk in disks]


def origins(name, trouble):
    """The names that rules may use for an origin. It is a group if a service or a script of the case has a group of that name."""
    if DISK.fullmatch(name):
        return [f"disk:{name}"]
    if name in GROUPS or re.search(rf"(within |/sys/fs/cgroup/){re.escape(name)}(?![\w-])", trouble["prepare"] + trouble["start"]):
        return [f"cgroup:/sys/fs/cgroup/{name}"]
    # The process may be named after its thread, and that of a script by the interpreter and the script.
    script = [f"process:python3 {name}.py"] if (case.HERE / "programs" / f"{name}.py").exists() else []
    return [f"process:{name}", *script] + (["process:redis-server"] if name == "redis" else [])


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
            lines.append(f"lost = {words(victims(incident))}")
        lines.append(f"onset_ns = {round(measured['onset_uptime_s'] * 1e9)}")
    lines += [f"origin = {words(one for name in starts for one in origins(name, incident['trouble']))}", f"chosen = {words([kernel])}", f'kernel = "{measured["kernel"]}"']
    (kept / "truth.toml").write_text("\n".join(lines) + "\n")


def main():
    arguments = argparse.ArgumentParser(description="Copies recordings of record.py into fixtures/real, in the form that is scored.")
    arguments.add_argument("--to", type=pathlib.Path, default=KEPT)
    arguments.add_argument("folders", type=pathlib.Path, nargs="+")
    arguments = arguments.parse_args()
    missing = [folder for folder in arguments.folders if not all((folder / part).exists() for part in ("case.toml", "measured.toml", "recording"))]
    for folder in arguments.folders:
        if folder not in missing:
            keep(folder, arguments.to)
    for folder in missing:
        print(f"{folder}: no recording, or it was not finished. Make it with record.py.", file=sys.stderr)
    if missing:
        sys.exit(2)


main()
