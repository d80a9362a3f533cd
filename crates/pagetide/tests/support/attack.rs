//! Scripts that act as root and as another user, each in a mount namespace of its own with an empty /tmp, /run, /var/tmp and /var/lib.

use std::process::Command;

/// `$P` is the binary; `nobody 'COMMANDS'` runs them as that user.
const PRELUDE: &str = r#"
set -u
# It may lie in a folder that is about to be hidden.
mount --bind "$P" /bin/false
P=/bin/false
for folder in /tmp /run /var/tmp /var/lib; do mount -t tmpfs -o mode=755 none $folder; done
chmod 1777 /tmp /var/tmp
nobody() { setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all sh -c "$1"; }
mkdir /tmp/precious
echo precious > /tmp/precious/file
cd /tmp
"#;

/// Runs a script and gives what it printed. `PAGETIDE_BINARY` attacks another binary than this one.
pub(crate) fn attack(script: &str) -> String {
    let binary = std::env::var_os("PAGETIDE_BINARY").unwrap_or_else(|| env!("CARGO_BIN_EXE_pagetide").into());
    let output = Command::new("unshare")
        .args(["--mount", "--propagation", "private", "timeout", "120", "sh", "-c"])
        .arg(format!("exec 2>&1\n{PRELUDE}{script}"))
        .env("P", binary)
        .env_remove("XDG_RUNTIME_DIR")
        .output()
        .expect("unshare(1), as root");
    // Each line with its ends, to be looked for as a whole.
    format!("\n{}", String::from_utf8_lossy(&output.stdout))
}
