#!/usr/bin/env python3
"""Compares what `pagetide reproduce` predicts of an advice with what the advice did to the real programs.

Usage: corpus/real/effects.py BINARY FOLDER... > TABLE, where record.py has recorded cases and files of advised/ into the first FOLDER, and some
cases again into others: an effect is one that is beyond all of them. The prediction is of the recording in fixtures/real. What the service lost
is its own measurement: the seconds by which its requests took longer than before the onset, in each second after it; of a service that logs no
latency, the share of its usual rate that it did not serve."""
import argparse
import json
import math
import pathlib
import subprocess
import tomllib

import case
from service import logged, median

FIXTURES = case.HERE.parent.parent / "fixtures/real"
# Beyond these an effect is one, and not noise of guests on an emulated CPU.
HELPS, HURTS = 0.8, 1.25
# A service that lost less lost nothing that an advice could give back.
LEAST_LOST = 0.01


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
    return "helps" if after < HELPS * min(before) else "hurts" if after > HURTS * max(before) else "nothing"


def predictions(binary, of):
    """What each advice leaves of the time lost on the model, and `nothing` as well."""
    done = subprocess.run([binary, "reproduce", FIXTURES / of / "recording", "--json"], capture_output=True, text=True)
    tried = json.loads(done.stdout)["tried"]
    return {one["what"]: one["effect"]["lost"] for one in tried}


def main():
    arguments = argparse.ArgumentParser(description="Compares predicted with measured effects of advice.")
    arguments.add_argument("binary", type=pathlib.Path)
    arguments.add_argument("folder", type=pathlib.Path, nargs="+")
    arguments = arguments.parse_args()
    known, right, all_of_them = {}, 0, 0
    print("| recording | advice | lost on the model | lost by the real service | sign |")
    print("|---|---|---|---|---|")
    for path in sorted((case.HERE / "advised").glob("*.toml")):
        of, advice, _ = case.advised(path)
        bases = [folder / of for folder in arguments.folder if (folder / of / "measured.toml").exists()]
        advised = arguments.folder[0] / path.stem
        if not bases or not (advised / "measured.toml").exists():
            continue
        if of not in known:
            known[of] = predictions(arguments.binary, of)
        tried = known[of]
        if advice not in tried:
            print(f"| {of} | {advice} | not tried | | |")
            continue
        model, before, after = (tried["nothing"], tried[advice]), [lost(base) for base in bases], lost(advised)
        predicted, measured = effect([model[0]], model[1]), effect(before, after)
        right, all_of_them = right + (predicted == measured), all_of_them + 1
        sign = "same" if predicted == measured else f"model: {predicted}, service: {measured}"
        runs = " and ".join(f"{one:.3f}" for one in before)
        print(f"| {of} | {advice} | {model[0]:.3f} -> {model[1]:.3f} | {runs} -> {after:.3f} | {sign} |")
    print(f"\n{right} of {all_of_them} signs agree.")


if __name__ == "__main__":
    main()
