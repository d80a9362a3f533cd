//! `pagetide doctor`: what this machine can do.

mod check;
mod vm;

use super::Outcome;
use super::record::rights;
use crate::output;
use check::{Check, first_line};
use pagetide_core::{Bytes, Error, Manifest};
use pagetide_kernel::{Root, damon};
use pagetide_view::text::Style;
use pagetide_view::{Cell, Table, Tone};
use serde_json::json;
use std::path::Path;

/// List what this machine can do, and the command that fixes each missing thing.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  pagetide doctor
  pagetide doctor --probe      boot a guest briefly, to see whether KVM works

Exit code 1 if experiments on this host lack something they need.")]
pub(crate) struct Arguments {
    /// Boot a guest to see whether KVM works here (up to 10 s; downloads the guest's kernel if there is none).
    #[arg(long)]
    probe: bool,
}

pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<Outcome, Error> {
    // Programs that say their version take seconds to start on an emulated machine: all of them start at once.
    let (fio, vm) = std::thread::scope(|scope| {
        let fio = scope.spawn(fio);
        let vm = vm::checks(arguments.probe);
        (fio.join(), vm)
    });
    let fio = fio.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    let mut checks =
        vec![root(), fio, cgroup(), available(), quiet(), pressure(), swap(), zram(), tracefs(), recorded()];
    checks.extend(vm?);
    if json {
        output::print_json(&json!({ "checks": checks }))?;
    } else {
        output::print(&text(&checks))?;
    }
    let complete = checks.iter().all(|check| check.there || !check.needed);
    Ok(if complete { Outcome::Done } else { Outcome::Failed })
}

fn text(checks: &[Check]) -> String {
    let mut table = Table::new().left("").left("what").left("found").left("for");
    for check in checks {
        let (mark, tone) = match (check.there, check.needed) {
            (true, _) => ("ok", Tone::Good),
            (false, true) => ("MISSING", Tone::Bad),
            (false, false) => ("no", Tone::Dim),
        };
        table.row([Cell::toned(mark, tone), check.name.into(), check.found.clone().into(), check.purpose.into()]);
    }
    let fixes: Vec<String> = checks
        .iter()
        .filter(|check| !check.there && !check.hint.is_empty())
        .map(|check| format!("  {:11}  {}\n", check.name, check.hint))
        .collect();
    let fixes =
        if fixes.is_empty() { String::new() } else { format!("\nTo install what is missing:\n{}", fixes.concat()) };
    format!("{}{fixes}", table.to_text(Style { colour: output::colour(), width: output::width() }))
}

fn root() -> Check {
    let there = rustix::process::geteuid().is_root();
    Check {
        name: "root",
        there,
        needed: true,
        purpose: "experiments, and data only root can read",
        found: if there { "yes" } else { "no" }.into(),
        hint: "sudo pagetide …".into(),
    }
}

fn fio() -> Check {
    let version = first_line("fio", &["--version"]);
    Check {
        name: "fio",
        there: version.is_some(),
        needed: true,
        purpose: "load for most experiments",
        found: version.unwrap_or_else(|| "not found".into()),
        hint: "apt-get install -y fio".into(),
    }
}

fn cgroup() -> Check {
    let v2 = std::fs::read_to_string("/sys/fs/cgroup/cgroup.controllers");
    let v1 = Path::new("/sys/fs/cgroup/memory/memory.limit_in_bytes").exists();
    let (there, found) = match v2 {
        Ok(controllers) if controllers.split_whitespace().any(|name| name == "memory") => (true, "v2, memory"),
        _ if v1 => (true, "v1, memory"),
        Ok(_) => (false, "v2 without the memory controller"),
        Err(_) => (false, "not mounted"),
    };
    Check {
        name: "cgroup",
        there,
        needed: true,
        purpose: "limits this host to a scenario's machine",
        found: found.into(),
        hint: "mount -t cgroup2 none /sys/fs/cgroup".into(),
    }
}

fn available() -> Check {
    let available = Root::host().meminfo().ok().and_then(|meminfo| meminfo.available());
    Check {
        name: "memory",
        there: available.is_some_and(|available| available >= Bytes::new(2 << 30)),
        needed: true,
        purpose: "experiments at 1/8 need 2 GiB available",
        found: available.map_or_else(|| "unknown".into(), |available| format!("{available} available")),
        hint: "stop what uses the memory, or run at a smaller --scale".into(),
    }
}

fn quiet() -> Check {
    let (actions, hidden) = (damon::actions(&Root::host()), damon::is_hidden(&Root::host()));
    let there = !hidden && !damon::evicts(&actions);
    Check {
        name: "quiet cache",
        there,
        needed: false,
        purpose: "only memory pressure should evict pages from the cache",
        found: match there {
            true => "yes".into(),
            false if hidden => "unknown: only root may read what DAMON does".into(),
            false => format!("DAMON is on: {}", actions.join(", ")),
        },
        hint: if hidden {
            "run this as root"
        } else {
            "echo off > /sys/kernel/mm/damon/admin/kdamonds/0/state (this also stops DAMON for its owner)"
        }
        .into(),
    }
}

fn pressure() -> Check {
    let there = Path::new("/proc/pressure/memory").exists();
    Check {
        name: "PSI",
        there,
        needed: false,
        purpose: "how long tasks wait for memory and IO",
        found: if there { "on" } else { "off" }.into(),
        hint: "boot with psi=1".into(),
    }
}

fn swap() -> Check {
    let count = std::fs::read_to_string("/proc/swaps").map(|text| text.lines().count().saturating_sub(1)).unwrap_or(0);
    Check {
        name: "swap",
        there: count > 0,
        needed: false,
        purpose: "room for anonymous memory; experiments bring their own",
        found: if count > 0 { format!("{count} areas") } else { "none".into() },
        hint: String::new(),
    }
}

fn zram() -> Check {
    let there = Path::new("/sys/class/zram-control").exists() || Path::new("/sys/block/zram0").exists();
    Check {
        name: "zram",
        there,
        needed: false,
        purpose: "compressed swap on this host",
        found: if there { "yes" } else { "not loaded" }.into(),
        hint: "modprobe zram".into(),
    }
}

fn recorded() -> Check {
    let facts = pagetide_kernel::facts(&Root::host()).ok();
    let spots = facts.as_ref().map(Manifest::blind).unwrap_or_default();
    Check {
        name: "recorded",
        there: spots.is_empty(),
        needed: false,
        purpose: "what record and diagnose can see",
        found: if spots.is_empty() { "all file systems and processes".into() } else { spots.join("; ") },
        hint: facts.as_ref().and_then(rights::hint).unwrap_or_default(),
    }
}

fn tracefs() -> Check {
    let mounted = ["/sys/kernel/tracing", "/sys/kernel/debug/tracing"]
        .into_iter()
        .find(|folder| Path::new(folder).join("events/writeback").exists());
    Check {
        name: "tracefs",
        there: mounted.is_some(),
        needed: false,
        purpose: "how long writers are throttled",
        found: mounted.unwrap_or("not mounted").into(),
        hint: "mount -t tracefs none /sys/kernel/tracing".into(),
    }
}
