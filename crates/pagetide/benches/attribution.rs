//! How well the trace finds for whom memory was reclaimed: `cargo bench -p pagetide --bench attribution`. Needs root, and QEMU for kswapd.
//!
//! In each step of `who-evicts-whom` one program needs memory, so all that the kernel steals is stolen for it. On this host its control group
//! is at its limit and it reclaims itself; in a virtual machine kswapd does. `-- KERNEL…` boots these kernels, too.
#![allow(clippy::print_stdout, reason = "a benchmark prints")]

use serde_json::Value;
use std::path::Path;
use std::process::Command;

fn main() {
    let folder = tempfile::tempdir_in("/var/tmp").unwrap();
    println!("{:42} {:>14} {:>14} {:>14}", "pages", "stolen", "traced", "for the program");
    row(folder.path(), "group limit, this host", &["--on", "host", "--scale", "1/4"]);
    let kernels: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    for kernel in std::iter::once(None).chain(kernels.iter().map(Some)) {
        let name = kernel.map_or("Debian's kernel", |kernel| kernel.rsplit("vmlinuz-").next().unwrap_or(kernel));
        for lru in ["classic", "mglru"] {
            let lru_setting = format!("lru={lru}");
            let mut arguments = vec!["--on", "vm", "--scale", "1/2", "--set", &lru_setting];
            arguments.extend(kernel.iter().flat_map(|kernel| ["--kernel", kernel.as_str()]));
            row(folder.path(), &format!("kswapd, {name}, {lru}"), &arguments);
        }
    }
}

/// Runs the scenario and prints one line for the stream and one for the anonymous hog.
fn row(folder: &Path, name: &str, arguments: &[&str]) {
    let output = Command::new(env!("CARGO_BIN_EXE_pagetide"))
        .current_dir(folder)
        .args(["lab", "run", "who-evicts-whom", "--json", "--out", "run", "--force", "--work-dir", "."])
        .args(arguments)
        .output()
        .unwrap();
    let Ok(run) = serde_json::from_slice::<Value>(&output.stdout) else {
        println!("{name}: skipped: {}", String::from_utf8_lossy(&output.stderr).trim());
        return;
    };
    for step in run["steps"].as_array().unwrap() {
        let number = |key: &str| step[key].as_f64().unwrap_or(f64::NAN);
        let (stolen, evicted, own) = (number("pages_stolen"), number("evicted_pages"), number("evicted_for_it_pages"));
        let id = step["id"].as_str().unwrap();
        if ["stream", "hog"].contains(&id) {
            println!(
                "{:42} {stolen:>14.0} {:>14} {:>14}",
                format!("{name}, {id}"),
                share(evicted, stolen),
                share(own, evicted)
            );
        }
    }
}

/// `29440 (99.9 %)`.
fn share(part: f64, of: f64) -> String {
    format!("{part:.0} ({:.1} %)", 100.0 * part / of)
}
