//! `import --allow-sadf`: sadf runs on a binary file of sadc without rights.

use assert_cmd::Command;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

fn sadc(file: &Path) {
    let status = std::process::Command::new("/usr/lib/sysstat/sadc").args(["1", "2"]).arg(file).status().unwrap();
    assert!(status.success());
    // Only its owner may read it: sadf gets its content all the same.
    fs::set_permissions(file, fs::Permissions::from_mode(0o600)).unwrap();
}

fn import(file: &Path, words: &[&str]) -> (Option<i32>, String) {
    let out = file.with_extension("recording");
    let run = Command::new(env!("CARGO_BIN_EXE_pagetide"))
        .arg("import")
        .arg(file)
        .arg("-o")
        .arg(out)
        .args(words)
        .output()
        .unwrap();
    (run.status.code(), String::from_utf8([run.stdout, run.stderr].concat()).unwrap())
}

#[test]
fn a_binary_file_needs_leave_and_is_read_then() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sa");
    sadc(&file);
    let (code, said) = import(&file, &[]);
    assert!(code == Some(2) && said.contains("sadf -j FILE -- -A") && said.contains("--allow-sadf"), "{said}");
    let (code, said) = import(&file, &["--allow-sadf"]);
    assert!(code == Some(0) && said.contains("1 samples"), "{said}");
    let whole = fs::read(&file).unwrap();
    for (name, content) in [("cut", &whole[..whole.len() / 2]), ("junk", &[&whole[..2], &[0xff; 4096]].concat())] {
        let file = folder.path().join(name);
        fs::write(&file, content).unwrap();
        let (code, said) = import(&file, &["--allow-sadf"]);
        assert!(code == Some(2) && said.contains("sadf cannot read it") && said.contains("hint:"), "{name}: {said}");
    }
}

/// A program in sadf's place tells what it may do.
#[test]
fn sadf_has_no_rights() {
    let folder = tempfile::tempdir().unwrap();
    let (file, spy) = (folder.path().join("sa"), folder.path().join("spy"));
    sadc(&file);
    let script = "#!/bin/sh\nexec >&2\nprintf 'uid=%s groups=%s %s net=%s cpu=%s env=%s %s\\n' \"$(id -u)\" \"$(id -G)\" \
        \"$(grep NoNewPrivs /proc/self/status | tr -d '\\t')\" \"$(tail -n +3 /proc/net/dev | wc -l)\" \"$(ulimit -t)\" \"$SECRET\" \
        \"$(cat '@' 2>&1 | tail -c 18)\"\nexit 1\n";
    fs::write(&spy, script.replace('@', file.to_str().unwrap())).unwrap();
    fs::set_permissions(&spy, fs::Permissions::from_mode(0o755)).unwrap();
    let command = format!(
        "mount --bind {} /usr/bin/sadf && SECRET=told exec {} import {} --allow-sadf -o {}",
        spy.display(),
        env!("CARGO_BIN_EXE_pagetide"),
        file.display(),
        folder.path().join("out").display()
    );
    let run = Command::new("unshare").args(["-m", "sh", "-c", &command]).output().unwrap();
    let said = String::from_utf8(run.stderr).unwrap();
    assert!(said.contains("uid=65534 groups=65534 NoNewPrivs:1 net=1 cpu=300 env= Permission denied"), "{said}");
}
