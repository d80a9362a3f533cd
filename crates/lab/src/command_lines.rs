//! Test: no text of a scenario becomes another word or option of a program that the lab starts. It replaces every string of two scenarios
//! that use all keys by 200 hostile values, and checks the command lines that would run.

use crate::executor::{name_of, shared_files};
use crate::fio;
use crate::vm::disk::{image, mkfs};
use crate::vm::qemu::{self, Accelerator, Backing, Machine};
use pagetide_core::{Action, Bytes, ErrorKind, FioJob, Scenario};
use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};
use toml::Value;

/// All keys of a scenario that hold text.
const SCENARIO: &str = r#"
id = "t"
title = "title"
source = "source"
about = "about"
notes = ["note"]
headline = "{A1.iops} IOPS"
trace = "1/16"
[machine]
cpus = 2
memory = "1GiB"
system = "64MiB"
swap = { zram = "64MiB", algorithm = "lzo" }
lru = "classic"
huge_pages = "never"
sysctl = { "vm.swappiness" = 60 }
[[machine.disk]]
name = "data"
size = "2GiB"
iops = 3000
bandwidth = "125MB/s"
filesystem = "ext4"
read_ahead = "128KiB"
[[machine.disk]]
name = "slow"
size = "64MiB"
latency = "1ms"
flush = "5ms"
filesystem = "none"
[[step]]
id = "A1"
title = "title"
drop_caches = true
cgroup = { name = "g", memory_max = "64MiB", io_max = [{ disk = "data", read = "1MiB/s" }] }
published = { iops = 2609, elapsed = "100s" }
[step.fio]
rw = "randread"
bs = "8k"
size = "64MiB"
ioengine = "libaio"
random_distribution = "zipf:1.2"
runtime = "1s"
file = "named"
disk = "data"
[[step]]
id = "A2"
fio = { same_as = "A1", ioengine = "io_uring" }
predicted_from = "A1"
[[step]]
id = "A3"
fio = { rw = "randrw", bs = "4k", size = "1MiB" }
[[step]]
id = "B"
hold = { size = "8MiB", touch = "4MiB", kind = "file" }
[[step]]
id = "C"
release = "B"
[[step]]
id = "D"
stream = { from = "file:x", size = "8MiB", bs = "1MiB", rate = "1MiB/s", cache = "dont_need", stride = { read = "1MiB", skip = "4KiB" }, time = "1s" }
[[step]]
id = "E"
dd = { from = "disk:slow", to = "file:y@data", size = "8MiB" }
[[step]]
id = "F"
copy = { from = "file:x", to = "file:z", size = "8MiB", every = "5s" }
[[step]]
id = "G"
map_and_walk = { code = "1MiB", file = "file:code", data = "1MiB", sharing = "private", fill = "zero", chunk = "64KiB", hot = "64KiB", iterations = 1, order = "random", time = "1s" }
[[step]]
id = "H"
grow = { size = "1MiB", rate = "1MiB/s", fill = "random", hold_for = "1s" }
[[step]]
id = "I"
stat_missing = { folder_of = "file:x", count = 10, hold_for = "1s" }
[[step]]
id = "J"
swap = { size = "16MiB", disk = "data" }
[[step]]
id = "K"
device = { disk = "slow", latency = "2ms", flush = "9ms" }
[[step]]
id = "L"
sleep = "1s"
[[step]]
id = "M"
parallel = [{ name = "one", spin = { time = "1s" }, delay = "1s", cgroup = { name = "h" } }]
[[claim]]
id = "c"
text = "text"
check = "A1.issued > 0"
"#;

/// What fio is told, of a job and of a layout.
const OPTIONS: [&str; 21] = [
    "name",
    "filename",
    "ioengine",
    "rw",
    "bs",
    "size",
    "invalidate",
    "norandommap",
    "randrepeat",
    "randseed",
    "random_distribution",
    "direct",
    "iodepth",
    "numjobs",
    "runtime",
    "time_based",
    "rate_iops",
    "fsync",
    "end_fsync",
    "fallocate",
    "thread",
];

/// Values that a hostile scenario would try: 20 of them, each alone and in nine places of a value that is allowed.
fn hostile() -> Vec<String> {
    let long = "x".repeat(5000);
    let values = [
        "external:/tmp/x.so",
        "--exec_prerun=id",
        "-drive file=/etc/shadow",
        ",file=/etc/passwd",
        " --exec_prerun=id",
        "\n--exec_prerun=id",
        "\0--x",
        "../../etc/shadow",
        "/etc/shadow",
        "$(id)",
        "`id`",
        ";id",
        "|id",
        "%s%n",
        "a=b",
        "\u{202e}",
        &long,
        "",
        "'",
        "/proc/self/fd/3:/etc/shadow",
    ];
    let places: [fn(&str) -> String; 10] = [
        |value| value.to_owned(),
        |value| format!("sync{value}"),
        |value| format!("{value}sync"),
        |value| format!("libaio:{value}"),
        |value| format!("randread,{value}"),
        |value| format!("8k {value}"),
        |value| format!("\"{value}"),
        |value| format!("-{value}"),
        |value| format!("file:{value}"),
        |value| format!("zipf:1.2{value}"),
    ];
    places.iter().flat_map(|place| values.iter().map(|value| place(value))).collect()
}

/// The paths of all strings below a value.
fn strings_below(root: &Value, at: &mut Vec<String>, found: &mut Vec<Vec<String>>) {
    match root {
        Value::String(_) => found.push(at.clone()),
        Value::Array(values) => {
            for (number, value) in values.iter().enumerate() {
                at.push(number.to_string());
                strings_below(value, at, found);
                at.pop();
            }
        }
        Value::Table(table) => {
            for (key, value) in table {
                at.push(key.clone());
                strings_below(value, at, found);
                at.pop();
            }
        }
        _ => {}
    }
}

fn get<'a>(root: &'a mut Value, path: &[String]) -> &'a mut Value {
    path.iter().fold(root, |value, key| match value {
        Value::Array(values) => &mut values[key.parse::<usize>().unwrap()],
        Value::Table(table) => table.get_mut(key).unwrap(),
        other => panic!("{other}"),
    })
}

/// A command that would run: its program and its arguments.
type CommandLine = (&'static str, Vec<OsString>);

fn command_lines(scenario: &Scenario) -> Vec<CommandLine> {
    let words = |words: Vec<String>| words.into_iter().map(OsString::from).collect();
    let mut lines: Vec<CommandLine> = Vec::new();
    for (name, size) in shared_files(scenario) {
        lines.push(("fio", words(fio::layout(&name, size.get()))));
    }
    for step in &scenario.steps {
        if let (Action::Fio(job), Some(name)) = (&step.action, name_of(step)) {
            lines.push(("fio", words(fio::arguments(&step.id, job, &name, 1))));
        }
    }
    let mut disks = Vec::new();
    for disk in &scenario.machine.disks {
        let path = image(Path::new("/work"), disk);
        lines.extend(mkfs(disk.filesystem, &path).map(|(_, _, words)| ("mkfs", words)));
        disks.push(Backing::limited(disk, File::open("/dev/null").unwrap()));
    }
    let machine = Machine {
        qemu: PathBuf::from("qemu"),
        accelerator: Accelerator::Tcg,
        cpus: scenario.machine.cpus,
        memory: Bytes::new(1 << 30),
        kernel: PathBuf::from("/kernel"),
        initramfs: Vec::new(),
        words: String::new(),
        disks,
    };
    lines.push(("qemu", qemu::arguments(&machine, 3, 4, 5)));
    lines
}

/// The words without their numbers.
fn shape(words: &[OsString]) -> Vec<String> {
    words.iter().map(|word| word.to_string_lossy().replace(|c: char| c.is_ascii_digit(), "")).collect()
}

fn is_plain(text: &str) -> bool {
    text.len() <= 4096
        && !text.starts_with('-')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "_-.:,/".contains(c))
}

/// Why a command line holds more than the lab's own options and plain values.
fn wrong(line: &CommandLine, usual: &[CommandLine]) -> Option<String> {
    let (program, words) = line;
    match *program {
        "fio" => words.iter().find_map(|word| {
            let text = word.to_str().unwrap_or_default();
            let (option, value) = text.strip_prefix("--").and_then(|rest| rest.split_once('=')).unwrap_or(("", text));
            let own_place =
                !matches!(option, "filename" | "name" | "ioengine" | "rw") || !value.contains(['/', ':', ',']);
            (!OPTIONS.contains(&option) || !is_plain(value) || !own_place).then(|| format!("fio: {text:?}"))
        }),
        "mkfs" => {
            let (file, options) = words.split_last()?;
            let known = usual.iter().any(|(_, words)| words.split_last().is_some_and(|(_, usual)| usual == options));
            let path = Path::new(file);
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let holds = known && path.parent() == Some(Path::new("/work")) && is_plain(name);
            (!holds).then(|| format!("mkfs: {words:?}"))
        }
        _ => {
            let same = usual.iter().any(|(other, usual)| other == program && shape(usual) == shape(words));
            (!same).then(|| format!("{program}: {words:?}"))
        }
    }
}

#[test]
#[expect(clippy::print_stdout, reason = "a row of `make torture`")]
fn no_text_of_a_scenario_becomes_another_word_of_a_command_line() {
    let base: Value = toml::from_str(SCENARIO).unwrap();
    let usual = command_lines(&Scenario::parse(SCENARIO, "t.toml").unwrap());
    assert!(["fio", "mkfs", "qemu"].iter().all(|program| usual.iter().any(|(name, _)| name == program)));
    let mut strings = Vec::new();
    strings_below(&base, &mut Vec::new(), &mut strings);
    let hostile = hostile();
    assert_eq!(hostile.len(), 200);
    let (mut tried, mut accepted, mut failures) = (0, 0, Vec::new());
    let mut scenario = base.clone();
    for path in &strings {
        const MARK: &str = "@hostile@";
        let good = std::mem::replace(get(&mut scenario, path), MARK.into());
        let text = toml::to_string(&scenario).unwrap();
        *get(&mut scenario, path) = good;
        for value in &hostile {
            tried += 1;
            let text = text.replace(&format!("\"{MARK}\""), &Value::from(value.as_str()).to_string());
            if let Ok(scenario) = Scenario::parse(&text, "t.toml") {
                accepted += 1;
                let lines = command_lines(&scenario);
                let found = lines.iter().find_map(|line| wrong(line, &usual));
                failures.extend(found.map(|what| format!("{} = {value:?}: {what}", path.join("."))));
            }
        }
    }
    assert!(failures.is_empty(), "{} of {tried}:\n{}", failures.len(), failures[..failures.len().min(20)].join("\n"));
    let keys = strings.len();
    println!(
        "row: hostile values of a scenario's text keys | {tried} | {keys} keys; {accepted} allowed as text for people"
    );
    // Titles and notes are text for people and may contain anything: if none were accepted, the test would show nothing.
    assert!(strings.len() > 80 && accepted > 1000, "{} keys, {accepted}", strings.len());
}

#[test]
fn no_number_of_a_job_is_out_of_its_range() {
    let job = |rest: &str| {
        let step = format!("[[step]]\nid = \"X\"\nfio = {{ rw = \"read\", bs = \"4k\", size = \"1MiB\", {rest} }}\n");
        Scenario::parse(&SCENARIO.replacen("[[step]]", &format!("{step}[[step]]"), 1), "t.toml")
    };
    job("numjobs = 8, iodepth = 64, rate_iops = 100, fsync = 0").unwrap();
    for key in ["numjobs", "iodepth", "rate_iops", "fsync"] {
        for value in ["-1", "4000000000", "\"1 --x\""] {
            let error = job(&format!("{key} = {value}")).unwrap_err();
            assert_eq!(error.kind, ErrorKind::Input, "{key} = {value}: {error}");
        }
    }
    let error = job("ioengine = \"external:/tmp/evil.so\"").unwrap_err();
    assert!(error.what.contains("external:/tmp/evil.so") && error.hint.contains("libaio"), "{error}");
}

#[test]
fn every_engine_has_fios_name() {
    for name in ["sync", "psync", "vsync", "pvsync", "pvsync2", "libaio", "io_uring", "posixaio", "mmap"] {
        let table = format!("rw = \"read\"\nbs = \"4k\"\nsize = \"1MiB\"\nioengine = \"{name}\"");
        let job: FioJob = toml::from_str(&table).unwrap();
        assert_eq!(job.ioengine.name(), name);
    }
}
