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
        assert!(code == Some(2) && said.contains("cannot read it") && said.contains("hint:"), "{name}: {said}");
    }
}

/// What an import says with a script in sadf's place.
fn with_script(folder: &Path, file: &Path, script: &str) -> String {
    let spy = folder.join("spy");
    fs::write(&spy, script).unwrap();
    fs::set_permissions(&spy, fs::Permissions::from_mode(0o755)).unwrap();
    let command = format!(
        "mount --bind {} /usr/bin/sadf && SECRET=told exec {} import {} --allow-sadf -o {}",
        spy.display(),
        env!("CARGO_BIN_EXE_pagetide"),
        file.display(),
        folder.join("out").display()
    );
    let run = std::process::Command::new("unshare").args(["-m", "sh", "-c", &command]).output().unwrap();
    String::from_utf8(run.stderr).unwrap()
}

/// A program in sadf's place tells what it may do. It can start no other program, so it is made of what the shell itself does.
#[test]
fn sadf_has_no_rights() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sa");
    sadc(&file);
    let script = "#!/bin/sh\nexec >&2\n\
        while read -r key value rest; do case $key in Uid:|CapEff:|NoNewPrivs:|Seccomp:) printf '%s%s ' \"$key\" \"$value\" ;; esac; \
        done </proc/self/status\n\
        lines=0; while read -r line; do lines=$((lines + 1)); done </proc/net/dev\n\
        printf 'net=%s env=%s ' $((lines - 2)) \"$SECRET\"\n\
        if read -r line 2>/dev/null <'@'; then printf 'reads the file '; fi\nprintf 'cpu='; ulimit -t\nexit 1\n";
    let said = with_script(folder.path(), &file, &script.replace('@', file.to_str().unwrap()));
    let (_, told) = said.split_once("cannot read it: ").unwrap_or_else(|| panic!("{said}"));
    let (user, rights) =
        told.strip_prefix("Uid:").and_then(|told| told.split_once(' ')).unwrap_or_else(|| panic!("{said}"));
    assert!((61184..=65519).contains(&user.parse::<u32>().unwrap()), "{said}");
    assert!(rights.starts_with("CapEff:0000000000000000 NoNewPrivs:1 Seccomp:2 net=1 env= cpu=300"), "{said}");
}

#[test]
fn sadf_can_start_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sa");
    sadc(&file);
    let mark = format!("86400.{}", std::process::id());
    let said = with_script(folder.path(), &file, &format!("#!/bin/sh\nsleep {mark} &\necho started >&2\nexit 1\n"));
    assert!(said.contains("Cannot fork") && !said.contains("started"), "{said}");
    let runs = fs::read_dir("/proc").unwrap().flatten().any(|entry| {
        fs::read(entry.path().join("cmdline")).is_ok_and(|line| String::from_utf8_lossy(&line).contains(&mark))
    });
    assert!(!runs);
}
