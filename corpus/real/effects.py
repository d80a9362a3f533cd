#!/usr/bin/env python3
"""Compares what `pagetide reproduce` predicts of an advice with what the advice did to the real programs, and writes both into docs/REPRODUCE.md.

Usage: corpus/real/effects.py BINARY [FOLDER...]

record.py has recorded cases and files of advised/ into the first FOLDER, and some cases again into others: an effect is one that is beyond all
of them. What the services lost there is kept in measured.tsv; without folders it is read from that file. What a service lost is its own
measurement: the seconds by which its requests took longer than before the onset, in each second after it; of a service that logs no latency, the
share of its usual rate that it did not serve. The prediction is of the recording in fixtures/real."""
import argparse
import json
import math
import pathlib
import subprocess
import tomllib

import case
from service import logged, median

FIXTURES = case.HERE.parent.parent / "fixtures/real"
PAGE = case.HERE.parent.parent / "docs/REPRODUCE.md"
MEASURED = case.HERE / "measured.tsv"
ADVISED = case.HERE / "advised"
# Beyond these an effect is one, and not noise of guests on an emulated CPU.
HELPS, HURTS = 0.8, 1.25
# A service that lost less lost nothing that an advice could give back.
LEAST_LOST = 0.01
NOTHING = "nothing"


def lost(folder):
    """What the service lost after the onset."""
    measured = tomllib.loads((folder / "measured.toml").read_text())
    _, before, after = next(logged(folder, measured))
    usual, latency = median([row[1] for row in before]), median([row[2] for row in before])
    if not after:
        return 1.0
    if math.isnan(latency):
        return max(0.0, 1 - sum(row[1] for row in after) / len(after) / usual)
    # In a second in which nothing was served all of it was lost.
    waits = [rate * (late - latency) / 1000 if rate and not math.isnan(late) else 1.0 for _, rate, late in after]
    return max(0.0, sum(waits) / len(waits))


def effect(before, after):
    """What a change did: `before` is what was lost without it, in each run."""
    if max(before) < LEAST_LOST:
        return "nothing to lose" if after < LEAST_LOST * 2 else "hurts"
    return "helps" if after < HELPS * min(before) else "hurts" if after > HURTS * max(before) else NOTHING


def kept():
    """What was measured, by the names of the files of advised/: without the advice in each run, and with it."""
    rows = [line.split("\t") for line in MEASURED.read_text().splitlines() if not line.startswith("#")][1:]
    return {name: ([float(one) for one in without.split()], float(after)) for name, without, after in rows}


def measure(folders):
    """Takes what the services lost in these folders into the file."""
    measured = kept()
    for path in sorted(ADVISED.glob("*.toml")):
        of, _, _ = case.advised(path)
        bases = [folder / of for folder in folders if (folder / of / "measured.toml").exists()]
        advised = folders[0] / path.stem
        if bases and (advised / "measured.toml").exists():
            measured[path.stem] = ([lost(base) for base in bases], lost(advised))
    head = [line for line in MEASURED.read_text().splitlines() if line.startswith("#")] + ["case\twithout\twith"]
    rows = [f"{name}\t{' '.join(f'{one:.3f}' for one in without)}\t{after:.3f}" for name, (without, after) in sorted(measured.items())]
    MEASURED.write_text("\n".join(head + rows) + "\n")


def predictions(binary, of):
    """What each advice leaves of the time lost on the model, the best first, and `nothing` as well."""
    done = subprocess.run([binary, "reproduce", FIXTURES / of / "recording", "--json"], capture_output=True, text=True)
    tried = json.loads(done.stdout)["tried"]
    return {one["what"]: one["effect"]["lost"] for one in tried}


def best_of_service(before, advised):
    """The best advice by the service: each that lost no more than the best, but for noise. `advised` is what was lost with each."""
    helps = {advice: after for advice, after in advised.items() if effect(before, after) == "helps"}
    if not helps:
        return [NOTHING]
    return [advice for advice, after in helps.items() if after <= max(min(helps.values()) / HELPS, LEAST_LOST)]


def best_of_model(tried, advised):
    """The first of the advices that were tried on the service too, if it helps on the model."""
    helps = (advice for advice in tried if advice in advised and effect([tried[NOTHING]], tried[advice]) == "helps")
    return next(helps, NOTHING)


def tables(binary):
    """The tables of the page."""
    measured, known, signs, agree, of_cases = kept(), {}, 0, 0, {}
    lines = ["| recording | advice | lost on the model | lost by the real service | sign |", "|---|---|---|---|---|"]
    for path in sorted(ADVISED.glob("*.toml")):
        if path.stem not in measured:
            continue
        of, advice, _ = case.advised(path)
        if of not in known:
            known[of] = predictions(binary, of)
        tried = known[of]
        before, after = measured[path.stem]
        runs = " and ".join(f"{one:.3f}" for one in before)
        of_cases.setdefault(of, (before, {}))[1][advice] = after
        signs += 1
        if advice not in tried:
            lines.append(f"| {of} | {advice} | not tried | {runs} -> {after:.3f} | model: not tried |")
            continue
        predicted, was = effect([tried[NOTHING]], tried[advice]), effect(before, after)
        agree += predicted == was
        sign = "same" if predicted == was else f"model: {predicted}, service: {was}"
        lines.append(f"| {of} | {advice} | {tried[NOTHING]:.3f} -> {tried[advice]:.3f} | {runs} -> {after:.3f} | {sign} |")
    lines += ["", f"{agree} of {signs} signs agree.", ""]
    several = {of: one for of, one in of_cases.items() if len(one[1]) > 1}
    rows, right = [], 0
    for of, (before, advised) in several.items():
        model, service = best_of_model(known[of], advised), best_of_service(before, advised)
        right += model in service
        rows.append(f"| {of} | {len(advised)} | {model} | {' or '.join(service)} | {'yes' if model in service else 'no'} |")
    lines += [f"Of {len(several)} cases with two or three advices the model has the same best one, or none, in {right}:", ""]
    lines += ["| recording | advices | best on the model | best for the real service | same |", "|---|---|---|---|---|", *rows]
    return "\n".join(lines) + "\n"


def main():
    arguments = argparse.ArgumentParser(description="Compares predicted with measured effects of advice, and writes docs/REPRODUCE.md.")
    arguments.add_argument("binary", type=pathlib.Path)
    arguments.add_argument("folder", type=pathlib.Path, nargs="*")
    arguments = arguments.parse_args()
    if arguments.folder:
        measure(arguments.folder)
    table = tables(arguments.binary)
    begin, end = "<!-- effects: begin -->\n", "<!-- effects: end -->"
    before, rest = PAGE.read_text().split(begin)
    _, after = rest.split(end)
    PAGE.write_text(before + begin + table + end + after)


if __name__ == "__main__":
    main()
