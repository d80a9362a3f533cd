#!/usr/bin/env python3
"""Compares the effect of an advice that `pagetide reproduce` predicts with its effect on the real programs, in the tables of docs/REPRODUCE.md.

Usage: corpus/real/effects.py BINARY [FOLDER...]   (predict again, some minutes; with FOLDER measure again, too)
       corpus/real/effects.py --check              (exit 1 if the tables are not those of predicted.tsv and measured.tsv)

BINARY reproduces the recordings of fixtures/real; predicted.tsv keeps the results. record.py has recorded cases and files of advised/ into
each FOLDER; measured.tsv keeps what the services lost in each. A measured effect is that of the medians of the runs without the advice and with
it. What a service lost is its own measurement: the seconds by which its requests took longer than before the onset, per
second. If it logs no latency, it is the share of its usual rate that it did not serve."""
import argparse
import json
import math
import pathlib
import statistics
import subprocess
import sys
import tomllib

import case
from service import LOGS, logged, median

FIXTURES = case.HERE.parent.parent / "fixtures/real"
PAGE = case.HERE.parent.parent / "docs/REPRODUCE.md"
MEASURED = case.HERE / "measured.tsv"
PREDICTED = case.HERE / "predicted.tsv"
ADVISED = case.HERE / "advised"
# Ratios of lost time below and above which a change is an effect, and not the noise of guests on an emulated CPU.
HELPS, HURTS = 0.8, 1.25
# Below this an advice has nothing to give back.
LEAST_LOST = 0.01
NOTHING = "nothing"


def lost(folder):
    """Time that the service lost after the onset for as much as it usually serves, in s per s."""
    measured = tomllib.loads((folder / "measured.toml").read_text())
    log, before, after = next(logged(folder, measured))
    if not after:
        return 1.0
    usual = median([one.rate for one in before])
    own = median([one.took - one.queued for one in before])
    if math.isnan(own):
        return max(0.0, 1 - sum(one.rate for one in after) / len(after) / usual)
    served = [one for one in after if one.rate]
    # Until the end of a request that nothing was served after.
    hangs = next((at for at, one in enumerate(reversed(after)) if one.rate), len(after))
    waited = sum(one.rate * (one.took - one.queued) / 1000 for one in served) + hangs
    # At least one request: who serves nothing has no time of a request.
    requests = max(sum(one.rate for one in served), 1 / LOGS[log])
    return max(0.0, usual * (waited / requests - own / 1000))


def effect(before, after):
    """The effect of a change, by the time lost without it and with it."""
    if before < LEAST_LOST:
        return "nothing to lose" if after < LEAST_LOST * 2 else "hurts"
    return "helps" if after < HELPS * before else "hurts" if after > HURTS * before else NOTHING


def rows_of(path):
    """The rows of a table, without its comments and its head."""
    return [line.split("\t") for line in path.read_text().splitlines() if not line.startswith("#")][1:]


def write(path, head, rows):
    """Writes rows below the comments of the file and a head."""
    comments = [line for line in path.read_text().splitlines() if line.startswith("#")]
    path.write_text("\n".join(comments + [head, *rows]) + "\n")


def measured_losses():
    """Lost time by the names of the files of advised/: in each run without the advice, and in each with it."""
    floats = lambda text: [float(one) for one in text.split()]
    return {name: (floats(without), floats(after)) for name, without, after in rows_of(MEASURED)}


def measure(folders):
    """Puts what the services lost in these folders into measured.tsv."""
    measured = measured_losses()
    for path in sorted(ADVISED.glob("*.toml")):
        of, _, _ = case.advised(path)
        runs = tuple([lost(folder / name) for folder in folders if (folder / name / "measured.toml").exists()] for name in (of, path.stem))
        if all(runs):
            measured[path.stem] = runs
    text = lambda runs: " ".join(f"{one:.3f}" for one in runs)
    rows = [f"{name}\t{text(without)}\t{text(after)}" for name, (without, after) in sorted(measured.items())]
    write(MEASURED, "case\twithout\twith", rows)


def predict(binary):
    """Puts the time lost on the model with each advice that was also tried on the service into predicted.tsv, the best advice first."""
    advised = {}
    for path in sorted(ADVISED.glob("*.toml")):
        of, advice, _ = case.advised(path)
        advised.setdefault(of, {NOTHING}).add(advice)
    rows = []
    for of, advices in advised.items():
        done = subprocess.run([binary, "reproduce", FIXTURES / of / "recording", "--json"], capture_output=True, text=True)
        tried = {one["what"]: one["effect"]["lost"] for one in json.loads(done.stdout)["tried"]}
        rows += [f"{of}\t{advice}\t{lost:.9f}" for advice, lost in tried.items() if advice in advices]
    write(PREDICTED, "recording\tadvice\tlost", rows)


def predicted_losses():
    """Lost time on the model, by recording and advice, the best advice first, and with `nothing`."""
    predicted = {}
    for of, advice, lost in rows_of(PREDICTED):
        predicted.setdefault(of, {})[advice] = float(lost)
    return predicted


def best_of_service(before, advised):
    """The best advices for the service: those with which it lost no more than with the best, within noise. `advised` is the time lost with each."""
    helps = {advice: after for advice, after in advised.items() if effect(before, after) == "helps"}
    if not helps:
        return [NOTHING]
    return [advice for advice, after in helps.items() if after <= max(min(helps.values()) / HELPS, LEAST_LOST)]


def best_of_model(tried, advised):
    """The best on the model of the advices that were also tried on the service, if it helps."""
    helps = (advice for advice in tried if advice in advised and effect(tried[NOTHING], tried[advice]) == "helps")
    return next(helps, NOTHING)


def top_sign(tried, before, advised):
    """Whether the best on the model of the advices that were also tried on the service has the same effect there."""
    top = next(advice for advice in tried if advice in advised)
    return effect(tried[NOTHING], tried[top]) == effect(before, advised[top])


def tables():
    """The tables of the page."""
    measured, predicted, signs, agree, of_cases = measured_losses(), predicted_losses(), 0, 0, {}
    lines = ["| recording | advice | lost on the model | lost by the real service | sign |", "|---|---|---|---|---|"]
    for path in sorted(ADVISED.glob("*.toml")):
        if path.stem not in measured:
            continue
        of, advice, _ = case.advised(path)
        tried = predicted[of]
        before, after = (statistics.median(runs) for runs in measured[path.stem])
        runs = " -> ".join(", ".join(f"{one:.3f}" for one in runs) for runs in measured[path.stem])
        of_cases.setdefault(of, (before, {}))[1][advice] = after
        signs += 1
        if advice not in tried:
            lines.append(f"| {of} | {advice} | not tried | {runs} | model: not tried |")
            continue
        on_model, was = effect(tried[NOTHING], tried[advice]), effect(before, after)
        agree += on_model == was
        sign = "same" if on_model == was else f"model: {on_model}, service: {was}"
        lines.append(f"| {of} | {advice} | {tried[NOTHING]:.3f} -> {tried[advice]:.3f} | {runs} | {sign} |")
    tops = [top_sign(predicted[of], before, advised) for of, (before, advised) in of_cases.items()]
    lines += ["", f"{agree} of {signs} signs agree; {sum(tops)} of {len(tops)} of the advice that is best on the model for its recording.", ""]
    several = {of: one for of, one in of_cases.items() if len(one[1]) > 1}
    rows, right = [], 0
    for of, (before, advised) in several.items():
        model, service = best_of_model(predicted[of], advised), best_of_service(before, advised)
        right += model in service
        rows.append(f"| {of} | {len(advised)} | {model} | {' or '.join(service)} | {'yes' if model in service else 'no'} |")
    lines += [f"Of {len(several)} cases with two or three advices the model has the same best one, or none, in {right}:", ""]
    lines += ["| recording | advices | best on the model | best for the real service | same |", "|---|---|---|---|---|", *rows]
    return "\n".join(lines) + "\n"


def main():
    arguments = argparse.ArgumentParser(description="Compares predicted with measured effects of advice in docs/REPRODUCE.md.")
    arguments.add_argument("--check", action="store_true")
    arguments.add_argument("binary", type=pathlib.Path, nargs="?")
    arguments.add_argument("folder", type=pathlib.Path, nargs="*")
    arguments = arguments.parse_args()
    if arguments.check == bool(arguments.binary):
        sys.exit(__doc__)
    if arguments.folder:
        measure(arguments.folder)
    if arguments.binary:
        predict(arguments.binary)
    begin, end = "<!-- effects: begin -->\n", "<!-- effects: end -->"
    text = PAGE.read_text()
    before, rest = text.split(begin)
    _, after = rest.split(end)
    written = before + begin + tables() + end + after
    if not arguments.check:
        PAGE.write_text(written)
    elif text != written:
        sys.exit("the tables of docs/REPRODUCE.md are not those of predicted.tsv and measured.tsv: run corpus/real/effects.py BINARY")


if __name__ == "__main__":
    main()
