//! What a confined program can do, tried by a shell's own words: it can start no other program.

use pagetide_sandbox::{Limit, Sandbox};
use std::fs::{self, File};
use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::os::unix::fs::chown;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|meta| std::os::unix::fs::MetadataExt::uid(&meta) == 0)
}

/// A folder of the sandbox's user.
fn lent(sandbox: &Sandbox) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    if let Some(user) = sandbox.user() {
        chown(folder.path(), Some(user), Some(user)).unwrap();
    }
    folder
}

fn bash(sandbox: Sandbox, folder: &Path, words: &str) -> Output {
    let shell = Path::new("/bin/bash");
    let mut command = Command::new(shell);
    command.args(["-c", words]).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    sandbox.in_folder(OwnedFd::from(File::open(folder).unwrap())).confine(&mut command, shell);
    command.spawn().unwrap().wait_with_output().unwrap()
}

fn said(words: &str) -> String {
    let sandbox = Sandbox::new();
    let folder = lent(&sandbox);
    String::from_utf8_lossy(&bash(sandbox, folder.path(), words).stdout).into_owned()
}

#[test]
fn a_confined_program_has_no_rights() {
    let status = said("while read -r line; do echo \"$line\"; done < /proc/self/status");
    let field = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_else(|| panic!("{name} {status}"));
        line.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!((field("NoNewPrivs:"), field("Seccomp:")), (vec!["1".to_owned()], vec!["2".to_owned()]));
    if is_root() {
        for set in ["CapInh:", "CapPrm:", "CapEff:", "CapBnd:", "CapAmb:"] {
            assert_eq!(field(set), ["0000000000000000"], "{set}");
        }
        assert!(field("Uid:").iter().chain(&field("Gid:")).all(|id| (61184..=65519).contains(&id.parse().unwrap())));
        assert_eq!(field("Groups:"), Vec::<String>::new());
    }
}

#[test]
fn a_confined_program_starts_no_other_and_has_no_terminal() {
    assert_eq!(said("(true) 2> /dev/null && echo forked; echo end"), "", "bash ends when it cannot fork");
    assert_eq!(said(": 2> /dev/null < /dev/tty && echo terminal; echo end"), "end\n");
    // The session is its own.
    assert_eq!(
        said("read -r pid name state parent group session rest < /proc/self/stat; echo $((pid == session))"),
        "1\n"
    );
}

#[test]
fn a_confined_program_reaches_no_network() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let words = format!("exec 2> /dev/null 9<> /dev/tcp/127.0.0.1/{port} && echo connected");
    assert_eq!(said(&words), "");
    let free = Command::new("/bin/bash").args(["-c", &words]).output().unwrap();
    assert_eq!(free.stdout, b"connected\n", "what is tried works outside of the sandbox");
}

#[test]
fn a_confined_program_writes_in_its_folder_and_sees_nothing_of_other_people() {
    let sandbox = Sandbox::new();
    let folder = lent(&sandbox);
    let outside = tempfile::tempdir_in("/var/tmp").unwrap();
    fs::write(outside.path().join("secret"), "x").unwrap();
    let others = outside.path().display();
    let words = format!(
        "echo mine > made; cd ..; for f in {others}/secret /root/.* /home/* /run/* /var/*; do [ -e \"$f\" ] && echo \"$f\"; done; \
         for d in / /etc /usr /var/tmp /dev/shm {others}; do : 2> /dev/null > $d/planted; done"
    );
    let output = bash(sandbox, folder.path(), &words);
    assert_eq!(fs::read_to_string(folder.path().join("made")).unwrap(), "mine\n", "{output:?}");
    if is_root() {
        let shown = String::from_utf8_lossy(&output.stdout);
        let hidden: Vec<&str> = shown.lines().filter(|line| !line.ends_with("/.") && !line.ends_with("/..")).collect();
        assert_eq!(hidden, Vec::<&str>::new());
        for place in ["/", "/etc", "/usr", "/var/tmp", "/dev/shm"] {
            assert!(!Path::new(place).join("planted").exists(), "{place}");
        }
        assert!(!outside.path().join("planted").exists());
    }
}

#[test]
fn a_file_is_inherited_and_limits_hold() {
    let mut sandbox = Sandbox::new();
    let folder = lent(&sandbox);
    let path = folder.path().join("result");
    let file = File::options().read(true).write(true).create_new(true).open(&path).unwrap();
    if let Some(user) = sandbox.user() {
        chown(&path, Some(user), None).unwrap();
    }
    let name = sandbox.inherit(&file).unwrap();
    let sandbox = sandbox.with_limits(&[Limit::FileSize(4096), Limit::Files(16)]);
    let output = bash(sandbox, folder.path(), &format!("echo result > {name}; ulimit -n; ulimit -c; ulimit -f"));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "16\n0\n4\n");
    assert_eq!(fs::read_to_string(&path).unwrap(), "result\n");
}

#[test]
fn what_a_program_writes_outside_of_the_limits_ends_it() {
    let sandbox = Sandbox::new();
    let folder = lent(&sandbox);
    let sandbox = sandbox.with_limits(&[Limit::CpuSeconds(1)]);
    let output = bash(sandbox, folder.path(), "while :; do :; done");
    assert!(!output.status.success(), "{output:?}");
}
