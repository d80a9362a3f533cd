//! What another user plants in places that they can write to, and what root's commands do about it. Each script runs as root in a
//! mount namespace of its own with an empty /tmp, /run, /var/tmp and /var/lib, so that nothing is planted on this machine.

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
fn attack(script: &str) -> String {
    let binary = std::env::var_os("PAGETIDE_BINARY").unwrap_or_else(|| env!("CARGO_BIN_EXE_pagetide").into());
    let output = Command::new("unshare")
        .args(["--mount", "--propagation", "private", "timeout", "120", "sh", "-c"])
        .arg(format!("exec 2>&1\n{PRELUDE}{script}"))
        .env("P", binary)
        .env_remove("XDG_RUNTIME_DIR")
        .output()
        .expect("unshare(1), as root");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The end of every script: what the attacker wanted to change.
const PRECIOUS: &str = "\necho \"precious: $(cat /tmp/precious/file), $(ls -A /tmp/precious | tr '\\n' ' ')\"";

fn untouched(printed: &str) {
    assert!(printed.contains("precious: precious, file "), "{printed}");
}

#[test]
fn root_records_into_no_folder_of_another_user() {
    let script = r#"
nobody 'mkdir rec; ln -s /tmp/precious/file rec/.manifest.json.tmp; ln -s /tmp/precious rec/open; ln -s /tmp/precious rec/sample'
$P record -o rec --for 300ms --interval 100ms --host-only; echo "exit $?"
"#;
    let printed = attack(&format!("{script}{PRECIOUS}"));
    untouched(&printed);
    assert!(printed.contains("belongs to another user (uid 65534)") && printed.contains("exit 3"), "{printed}");
}

#[test]
fn links_planted_in_a_folder_that_all_may_write_to_are_not_followed() {
    let script = r#"
mkdir -m 777 rec
nobody 'ln -s /tmp/precious/file rec/.manifest.json.tmp; ln -s /tmp/precious/file rec/manifest.json'
$P record -o rec --for 300ms --interval 100ms --host-only --continue; echo "first $?"
rm rec/manifest.json
$P record -o rec --for 300ms --interval 100ms --host-only --continue; echo "second $?"
mkdir -m 777 rec2
nobody 'ln -s /tmp/precious rec2/open'
$P record -o rec2 --for 300ms --interval 100ms --host-only; echo "third $?"
mkdir -m 777 rec3
nobody 'ln -s /tmp/precious rec3/sample'
$P record -o rec3 --for 300ms --interval 100ms --host-only; echo "fourth $?"
"#;
    let printed = attack(&format!("{script}{PRECIOUS}"));
    untouched(&printed);
    for end in ["first 3", "second 0", "third 3", "fourth 3"] {
        assert!(printed.contains(end), "{end}: {printed}");
    }
}

#[test]
fn a_reader_follows_no_links_and_waits_for_no_fifo() {
    let script = r#"
nobody 'mkdir rec run; mkfifo rec/manifest.json; ln -s /tmp/precious run/recording; mkfifo run/result.json
  mkdir -p log/open; ln -s /tmp/precious/file log/open/20261121T100030Z-00000001.log'
for folder in rec run log; do
  for command in show diagnose; do
    timeout 10 $P $command $folder; echo "$command $folder $?"
  done
done
"#;
    let printed = attack(&format!("{script}{PRECIOUS}"));
    untouched(&printed);
    for folder in ["rec", "run", "log"] {
        for command in ["show", "diagnose"] {
            let ended = [2, 3].map(|code| format!("{command} {folder} {code}"));
            assert!(ended.iter().any(|end| printed.contains(end)), "{ended:?}: {printed}");
        }
    }
    assert!(printed.contains("not a regular file"), "{printed}");
}
