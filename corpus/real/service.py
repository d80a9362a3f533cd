"""Logs of the services: requests served in each second, and the time of a request."""
import collections
import re

# The logs, and the seconds that each line covers.
LOGS = {"pgbench.log": 2, "java.log": 1, "app.log": 1}
# Seconds since the onset, requests per second, ms of a request, and how many of those it waited for a client that was free.
Point = collections.namedtuple("Point", "at rate took queued")


def median(values):
    return sorted(values)[len(values) // 2] if values else float("nan")


def points(log, measured):
    """A point for each line of a service's log."""
    for line in log.read_text(errors="replace").splitlines():
        if found := re.match(r"progress: ([\d.]+) s, ([\d.]+) tps, lat ([\d.]+|nan) ms.*?(?:lag ([\d.]+) ms)?$", line):
            at = float(found[1]) + measured["served_uptime_s"] - measured["harm_uptime_s"]
            yield Point(at, float(found[2]), float(found[3]), float(found[4] or 0))
        elif found := re.match(r"(\d+) (\d+)(?: ([\d.]+))?$", line):
            yield Point(int(found[1]) - measured["onset_clock_s"], float(found[2]), float(found[3] or "nan"), 0.0)


def logged(folder, measured):
    """For each service in the folder: its log's name, and its points before and after the onset."""
    for log, per in LOGS.items():
        if (folder / log).exists():
            rows = list(points(folder / log, measured))
            before = [row for row in rows if -measured["before_s"] < row.at < 0]
            yield log, before, [row for row in rows if per < row.at < measured["after_s"]]


def services(folder, measured):
    """For each service: whether it was harmed, and its measurements before the onset and in the worst 10 s after it."""
    for log, before, after in logged(folder, measured):
        per = LOGS[log]
        worst = [after[at : at + 10 // per] for at in range(max(1, len(after) - 10 // per + 1))]
        # A service that ended logs nothing.
        rate = min(median([row.rate for row in part]) for part in worst) if after else 0.0
        late = max(median([row.took for row in part]) for part in worst)
        usual, latency = median([row.rate for row in before]), median([row.took for row in before])
        harmed = rate < usual * 0.8 or late > latency * 2 and late > latency + 10
        yield harmed, f"{log}: {usual:.1f}/s {latency:.1f} ms before, at worst {rate:.1f}/s {late:.1f} ms: {'harmed' if harmed else 'not harmed'}"
