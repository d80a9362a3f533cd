#!/usr/bin/env python3
"""Records incidents of real programs in Debian guests, each with the service's own measurements.

Usage: corpus/real/record.py BINARY OUT [CASE-KERNEL...], as root: `rsync-classic`, `oom-mglru`, `find-old`, … (default: all), or the name of a
file of advised/: a case with an advice of `pagetide reproduce` applied, which effects.py compares with the case.

KERNEL: old (Debian's 5.10), classic (6.1), mglru (6.12 with MGLRU). cases/ has the cases with their true causes; guest.sh runs in the guest.
image/build.sh builds the guest once: Debian 12 with PostgreSQL, MariaDB, redis, sqlite, git, a JDK and the usual programs."""
import argparse
import json
import os
import pathlib
import shlex
import shutil
import socket
import subprocess
import threading
import time

import case

CACHE = pathlib.Path(os.environ.get("PAGETIDE_CACHE", case.HERE / "../../target/cache")).resolve() / "real"
# Longer than any recording, also under emulation on a busy machine.
TIMEOUT_S = 2400
SWAP_IOPS = 600


def kernel_image(kernel):
    return sorted((CACHE / "root/boot").glob(f"vmlinuz-{case.KERNELS[kernel]}*"))[-1]


def staged(folder, binary, incident, kernel):
    """Fills the guest's /rec: the binary, scripts and programs, and the case without its truth."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "case").mkdir(parents=True)
    shutil.copy(binary, folder / "pagetide")
    for script in ("guest.sh", "functions.sh"):
        shutil.copy(case.HERE / script, folder)
    shutil.copytree(case.HERE / "programs", folder / "programs", ignore=shutil.ignore_patterns("__pycache__"))
    recording, service = incident["recording"], incident["service"]
    settings = {
        "interval": recording["interval"],
        "before": case.number(recording["before"], "s"),
        "after": case.number(recording["after"], "s"),
        "service": service["name"],
        "node": "" if service["node"] is None else service["node"],
        "swap": "yes" if incident["machine"]["swap"] else "no",
        "lru": kernel,
    }
    lines = (f"{name}={shlex.quote(str(value))}\n" for name, value in settings.items())
    (folder / "case/settings.sh").write_text("".join(lines))
    (folder / "case/prepare.sh").write_text(incident["trouble"]["prepare"])
    (folder / "case/trouble.sh").write_text(incident["trouble"]["start"])


def at_onset(log, monitor, trouble, ended):
    """Waits until the guest prints that the trouble begins, then limits the data disk or pauses the guest."""
    while "onset" not in log.read_text(errors="replace"):
        if ended.wait(0.2):
            return
    with socket.socket(socket.AF_UNIX) as link:
        link.connect(str(monitor))
        lines = link.makefile("rw")

        def call(command, **arguments):
            lines.write(json.dumps({"execute": command} | ({"arguments": arguments} if arguments else {})) + "\n")
            lines.flush()
            while not {"return", "error"} & (answer := json.loads(lines.readline())).keys():
                pass
            if "error" in answer:
                raise SystemExit(f"QEMU refused {command}: {answer['error']['desc']}")

        lines.readline()
        call("qmp_capabilities")
        if trouble["pause"]:
            call("stop")
            time.sleep(case.number(trouble["pause"], "s"))
            call("cont")
        else:
            limits = dict.fromkeys(["bps", "bps_rd", "bps_wr", "iops", "iops_rd", "iops_wr"], 0)
            call("block_set_io_throttle", **(limits | {"device": "data"} | trouble["disk_limit"]))


def command(incident, kernel, name, log, monitor):
    """The command line of the guest's QEMU."""
    machine = incident["machine"]
    memory, image = case.number(machine["memory"], "MiB"), kernel_image(kernel)
    words = f"root=/dev/vda rw init=/init.sh console=ttyS0 quiet psi={int(machine['psi'])} mitigations=off no_timer_check panic=-1"

    def disk(file, options=",snapshot=on"):
        return ["-drive", f"file={CACHE / file}.img,format=raw,if=virtio,cache=unsafe,id={file.partition('-')[0]}{options}"]

    bandwidth = f",throttling.bps-total={machine['disk_bytes_per_s']}" if machine["disk_bytes_per_s"] else ""
    nodes = []
    if machine["nodes"] == 2:
        for node in (0, 1):
            nodes += ["-object", f"memory-backend-ram,size={memory // 2}M,id=node{node}", "-numa", f"node,memdev=node{node},cpus={node}"]
    return [
        "qemu-system-x86_64", "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot", "-machine", "q35", "-cpu", "max",
        "-smp", str(machine["cpus"]), "-m", str(memory), *nodes,
        "-kernel", str(image), "-initrd", str(image).replace("vmlinuz", "initrd.img"), "-append", words,
        "-serial", f"file:{log}", "-qmp", f"unix:{monitor},server=on,wait=off",
        *disk("root"), *disk("data", f",snapshot=on,throttling.iops-total={machine['disk_iops']}{bandwidth}"), *disk("bulk"),
        *disk(f"rec-{name}", ""), *disk("swap", f",snapshot=on,throttling.iops-total={SWAP_IOPS}"),
    ]  # fmt: skip


def record(binary, out, name):
    """Boots the guest of one case, waits until it ends, and copies the recording from its disk. Returns whether there is one."""
    incident, kernel = case.named(name)
    log, monitor = CACHE / f"{name}.log", CACHE / f"{name}.qmp"
    folder, image = CACHE / f"rec-{name}", CACHE / f"rec-{name}.img"
    staged(folder, binary, incident, kernel)
    image.unlink(missing_ok=True)
    subprocess.run(["mkfs.ext4", "-q", "-F", "-d", folder, image, "400M"], check=True)
    shutil.rmtree(folder)
    print(f"recording {name}", flush=True)
    log.write_text("")
    ended, changed = threading.Event(), None
    if incident["trouble"]["pause"] or incident["trouble"]["disk_limit"]:
        changed = threading.Thread(target=at_onset, args=(log, monitor, incident["trouble"], ended))
        changed.start()
    try:
        subprocess.run(command(incident, kernel, name, log, monitor), timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired:
        pass
    finally:
        ended.set()
        if changed:
            changed.join()
    taken = out / name
    shutil.rmtree(taken, ignore_errors=True)
    taken.mkdir(parents=True)
    subprocess.run(["debugfs", "-R", f"rdump /out {taken}", image], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    image.unlink()
    monitor.unlink(missing_ok=True)
    if not (taken / "out/measured.toml").exists():
        print(f"{name} was not recorded: see {log}", flush=True)
        return False
    for file in (taken / "out").iterdir():
        file.rename(taken / file.name)
    (taken / "out").rmdir()
    # The truth as committed before the recording; an advised case has none.
    path = case.HERE / "advised" / f"{name}.toml"
    shutil.copy(path if path.exists() else case.HERE / "cases" / f"{name.rpartition('-')[0]}.toml", taken / "case.toml")
    return True


def main():
    arguments = argparse.ArgumentParser(description="Records incidents of real programs in Debian guests.")
    arguments.add_argument("binary", type=pathlib.Path)
    arguments.add_argument("out", type=pathlib.Path)
    arguments.add_argument("names", nargs="*", metavar="CASE-KERNEL")
    arguments = arguments.parse_args()
    names = arguments.names or [f"{name}-{kernel}" for name, one in case.everything().items() for kernel in one["machine"]["kernels"]]
    for name in names:
        case.named(name)
    subprocess.run([case.HERE / "image/build.sh", CACHE], check=True)
    arguments.out.mkdir(parents=True, exist_ok=True)
    missing = [name for name in names if not record(arguments.binary, arguments.out.resolve(), name)]
    if missing:
        raise SystemExit(f"not recorded: {' '.join(missing)}")


main()
