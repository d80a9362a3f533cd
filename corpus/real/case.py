"""Reads the cases of corpus/real/cases. An unlisted key or a value of another type is an error."""
import pathlib
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
# The kernels of Debian 11, 12 and backports, the last with MGLRU.
KERNELS = {"old": "5.10.", "classic": "6.1.", "mglru": "6.12"}
# The control group of each service.
SERVICES = {
    "reads": "db", "writes": "db", "archive": "db", "queue": "app", "lookup": "app", "orders": "my", "cached": "cache", "compute": "app",
    "scan": "app", "none": None,
}  # fmt: skip
# Each key with its type and, if it is optional, its default.
KEYS = {
    "": {"what": (str,), "source": (str, None)},
    "machine": {
        "memory": (str,), "cpus": (int,), "disk_iops": (int,), "disk_bytes_per_s": (int, None), "swap": (bool, False), "nodes": (int, 1),
        "psi": (bool, True), "kernels": (list, list(KERNELS)),
    },
    "service": {"name": (str, "reads"), "node": (int, None)},
    "recording": {"interval": (str, "1s"), "before": (str, "28s"), "after": (str, "38s")},
    "truth": {"causes": (list,), "origins": (list, [])},
    "trouble": {"prepare": (str, ""), "start": (str, ""), "disk_limit": (dict, None), "pause": (str, None)},
}  # fmt: skip


def number(text, unit):
    """The number of `28s` or `512MiB`."""
    if not text.endswith(unit):
        raise ValueError(f"{text!r} is not in {unit}")
    return int(text.removesuffix(unit))


def read(path):
    """A case with all its keys, as `case["machine"]["cpus"]` and `case[""]["what"]`."""
    text = tomllib.loads(pathlib.Path(path).read_text())
    tables = {"": {key: value for key, value in text.items() if not isinstance(value, dict)}}
    tables |= {key: value for key, value in text.items() if isinstance(value, dict)}
    case = {}
    for table, keys in KEYS.items():
        given = tables.pop(table, {})
        case[table] = {}
        for key, (kind, *default) in keys.items():
            value = given.pop(key, *default) if default or key in given else None
            if value is None and not default or value is not None and type(value) is not kind:
                raise ValueError(f"{path}: {table}.{key} is {value!r}, not a {kind.__name__}")
            case[table][key] = value
        if given:
            raise ValueError(f"{path}: unknown keys in [{table}]: {', '.join(given)}")
    if tables:
        raise ValueError(f"{path}: unknown tables: {', '.join(tables)}")
    number(case["machine"]["memory"], "MiB")
    for key in ("interval", "before", "after"):
        number(case["recording"][key], "s")
    if case["service"]["name"] not in SERVICES or not set(case["machine"]["kernels"]) <= set(KERNELS):
        raise ValueError(f"{path}: unknown service or kernel")
    return case


def advised(path):
    """The recording's name, the text of the advice, and its changes to the case."""
    text = tomllib.loads(pathlib.Path(path).read_text())
    if unknown := set(text) - {"of", "advice", "machine", "trouble"}:
        raise ValueError(f"{path}: unknown keys: {', '.join(sorted(unknown))}")
    changes = {table: text.get(table, {}) for table in ("machine", "trouble")}
    for table, given in changes.items():
        if unknown := set(given) - set(KEYS[table]):
            raise ValueError(f"{path}: unknown keys in [{table}]: {', '.join(sorted(unknown))}")
    return text["of"], text["advice"], changes


def named(name):
    """The case and the kernel of `CASE-KERNEL`. The name of a file of advised/ gives the case with the advice applied."""
    if (path := HERE / "advised" / f"{name}.toml").exists():
        of, _, changes = advised(path)
        incident, kernel = named(of)
        return {table: values | changes.get(table, {}) for table, values in incident.items()}, kernel
    family, _, kernel = name.rpartition("-")
    path = HERE / "cases" / f"{family}.toml"
    if not path.exists() or kernel not in KERNELS:
        raise SystemExit(f"no such case: {name} (write CASE-KERNEL; corpus/real/cases has the cases, kernels are {', '.join(KERNELS)})")
    return read(path), kernel


def everything():
    """All cases by their names."""
    return {path.stem: read(path) for path in sorted((HERE / "cases").glob("*.toml"))}


if __name__ == "__main__":
    for name, case in everything().items():
        print(name, case["truth"]["causes"][0], ",".join(case["machine"]["kernels"]), sep="\t")
