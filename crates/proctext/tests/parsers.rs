//! Every parser on input that is cut, damaged, foreign or random: never a panic, never a wrong number.

#![expect(clippy::disallowed_methods, reason = "the test reads the archives, not the crate")]

#[path = "support/archive.rs"]
mod archive;

use pagetide_proctext::{
    Error, Zone, parse_buddyinfo, parse_diskstats, parse_loadavg, parse_meminfo, parse_mountinfo, parse_mounts,
    parse_pressure, parse_process_io, parse_process_stat, parse_process_status, parse_stat, parse_swaps, parse_vmstat,
    parse_zoneinfo,
};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// What a parser found, as names with values.
type Found = BTreeMap<String, String>;
type Parser = fn(&str) -> Result<Found, Error>;

fn pairs<'a, V: ToString>(pairs: impl Iterator<Item = (&'a str, V)>) -> Found {
    pairs.map(|(name, value)| (name.to_owned(), value.to_string())).collect()
}

/// A list of things with one text each, by their place.
fn list<T: std::fmt::Debug>(list: Vec<T>) -> Found {
    list.iter().enumerate().map(|(at, item)| (at.to_string(), format!("{item:?}"))).collect()
}

fn zones(zones: Vec<Zone>) -> Found {
    let mut found = Found::new();
    for zone in zones {
        let amounts = [
            ("free", zone.free),
            ("boost", zone.boost),
            ("min", zone.min),
            ("low", zone.low),
            ("high", zone.high),
            ("spanned", zone.spanned),
            ("present", zone.present),
            ("managed", zone.managed),
        ];
        for (name, pages) in amounts {
            found.extend(pages.map(|pages| (format!("{} {name}", zone.entity()), pages.get().to_string())));
        }
        for (name, value) in zone.counters.iter().chain(&zone.node_counters).chain(&zone.other) {
            found.insert(format!("{} {name}", zone.entity()), value.to_string());
        }
        if !zone.protection.is_empty() {
            found.insert(format!("{} protection", zone.entity()), format!("{:?}", zone.protection));
        }
    }
    found
}

fn one<T: std::fmt::Debug>(value: T) -> Found {
    BTreeMap::from([(String::new(), format!("{value:?}"))])
}

/// Every parser by the end of the paths of its files.
const PARSERS: [(&str, Parser); 14] = [
    ("proc/meminfo", |text| parse_meminfo(text).map(|file| pairs(file.iter()))),
    ("proc/vmstat", |text| parse_vmstat(text).map(|file| pairs(file.iter()))),
    ("proc/zoneinfo", |text| parse_zoneinfo(text).map(zones)),
    ("proc/buddyinfo", |text| parse_buddyinfo(text).map(list)),
    ("proc/diskstats", |text| parse_diskstats(text).map(list)),
    ("proc/stat", |text| parse_stat(text).map(|file| pairs(file.iter()))),
    ("proc/loadavg", |text| parse_loadavg(text).map(one)),
    ("pressure/memory", |text| {
        let pressure = parse_pressure(text)?;
        Ok(pairs(
            [("some", pressure.some), ("full", pressure.full)]
                .into_iter()
                .filter_map(|(name, stall)| Some((name, format!("{:?}", stall?)))),
        ))
    }),
    ("proc/swaps", |text| parse_swaps(text).map(list)),
    ("self/mounts", |text| parse_mounts(text).map(list)),
    ("self/mountinfo", |text| parse_mountinfo(text).map(list)),
    ("/stat", |text| parse_process_stat(text).map(one)),
    ("/io", |text| parse_process_io(text).map(|file| pairs(file.iter()))),
    ("/status", |text| {
        parse_process_status(text).map(|status| pairs(status.lines.iter().map(|(name, text)| (name.as_str(), text))))
    }),
];

/// Every file of every tree with its parser.
fn inputs() -> Vec<(String, String, Parser)> {
    let mut inputs = Vec::new();
    for tree in archive::names() {
        for (path, text) in archive::files(&tree) {
            let process = path.strip_prefix("proc/").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
            let parser = PARSERS.iter().find(|(end, _)| path.ends_with(end) && end.starts_with('/') == process);
            inputs.extend(parser.map(|(_, parse)| (format!("{tree}/{path}"), text, *parse)));
        }
    }
    inputs
}

#[test]
fn a_file_cut_at_any_byte_gives_no_wrong_number() {
    let inputs = inputs();
    assert!(inputs.len() >= 16, "{} files", inputs.len());
    for (name, text, parse) in inputs {
        let whole = parse(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(!whole.is_empty() || name.ends_with("swaps"), "{name}");
        for end in 0..text.len() {
            if let Ok(part) = parse(&text[..end]) {
                for (key, value) in &part {
                    assert_eq!(whole.get(key), Some(value), "{name} cut at byte {end}: {key}");
                }
            }
        }
    }
}

#[test]
fn errors_name_the_file_and_the_line() {
    let check = |result: Result<Found, Error>, wanted: &str| assert_eq!(result.unwrap_err().to_string(), wanted);
    let parse = |end: &str| PARSERS.iter().find(|(known, _)| *known == end).unwrap().1;
    check(parse("proc/meminfo")(""), "/proc/meminfo:1: the file is empty");
    check(parse("proc/meminfo")("MemTotal: 1 kB\nMemFree: x kB\n"), "/proc/meminfo:2: a number is expected here");
    check(parse("proc/meminfo")("MemTotal: 1 kB\nMemFree: 1"), "/proc/meminfo:2: the text ends within this line");
    check(parse("proc/meminfo")("pgpgin: 1\n"), "/proc/meminfo:1: this is not what the kernel writes to this file");
    check(parse("proc/vmstat")("pgpgin 1\npgpgout -1\n"), "/proc/vmstat:2: a number is expected here");
    check(parse("proc/diskstats")("8 0 sda 1 2 3\n"), "/proc/diskstats:1: a field is missing in this line");
    check(
        parse("proc/buddyinfo")("Node 0, Zone X 1\n"),
        "/proc/buddyinfo:1: this is not what the kernel writes to this file",
    );
}

/// Lines of /proc/PID/stat of Linux 6.18.
const NICED: &str = "21581 (sh) R 21580 21537 10910 0 -1 4194304 162 0 1 0 0 0 0 0 30 10 1 0 8607685 2654208 367 18446744073709551615 93930666098688 \
    93930666175417 140723430286048 0 0 0 2147221247 0 65538 0 0 0 17 0 0 0 0 0 0 93930666204720 93930666209856 93930754748416 140723430292136 \
    140723430292166 140723430292166 140723430293484 0";
const IDLE: &str = "21583 (sh) R 21580 21537 10910 0 -1 4194304 160 0 1 0 0 0 0 0 20 0 1 0 8607685 2654208 362 18446744073709551615 94194373419008 \
    94194373495737 140736797332160 0 0 0 2147221247 0 65538 0 0 0 17 0 0 5 0 0 0 94194373525040 94194373530176 95402195350592 140736797334184 \
    140736797334214 140736797334214 140736797335532 0";
const FIFO: &str = "21580 (sh) S 21537 21537 10910 0 -1 4194560 335 710 0 2 0 0 0 0 -4 0 1 0 8607685 2654208 373 18446744073709551615 93867743252480 \
    93867743329209 140728500624000 0 0 0 0 0 65538 1 0 0 17 1 3 1 0 0 0 93867743358512 93867743363648 93867841105920 140728500632233 \
    140728500632262 140728500632262 140728500633580 0";
const KWORKER: &str = "10 (kworker/0:0H-events_highpri) I 2 0 0 0 -1 69238880 0 0 0 0 0 0 0 0 0 -20 1 0 30 0 0 18446744073709551615 0 0 0 0 0 0 0 \
    2147483647 0 1 0 0 17 0 0 0 0 0 0 0 0 0 0 0 0 0";

#[test]
fn odd_but_real_lines() {
    let disk = |line: &str| parse_diskstats(line).unwrap().remove(0);
    let partition = disk("   8       1 sda1 10 80 20 160\n");
    assert_eq!(
        partition.iter().collect::<Vec<_>>(),
        [("reads", 10), ("read_sectors", 80), ("writes", 20), ("write_sectors", 160)]
    );
    let old = disk("   8       0 sda 1 2 3 4 5 6 7 8 9 10 11\n");
    assert_eq!((old.get("weighted_io_ms"), old.get("discards")), (Some(11), None));
    let odd = "   8 0 sda 1 2 3 4 5 6 7 8 9 10 11 12 13 14\n 8 1 drv\n   8 16 sdb 1 2 3 4 5 6 7 8 9 10 11\n";
    let odd = parse_diskstats(odd).unwrap();
    assert_eq!(
        odd.iter().map(|disk| &*disk.name).collect::<Vec<_>>(),
        ["sda", "sdb"],
        "one odd line costs no other disk"
    );
    assert_eq!(
        (odd[0].get("weighted_io_ms"), odd[0].get("discards")),
        (Some(11), None),
        "fields that no kernel prints"
    );
    let newer = disk(" 259 0 nvme0n1 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19\n");
    assert_eq!((newer.get("flush_ms"), &newer.more[..]), (Some(17), &[18, 19][..]));

    // `nice -n 10`, `chrt --idle 0`, `chrt --fifo 3` and a thread of the kernel.
    let told = |line: &str| {
        let text = format!("{line}\n");
        let stat = parse_process_stat(&text).unwrap();
        (stat.comm.to_owned(), stat.nice, stat.policy, stat.num_threads)
    };
    assert_eq!(told(NICED), ("sh".to_owned(), 10, Some(0), 1));
    assert_eq!(told(IDLE), ("sh".to_owned(), 0, Some(5), 1));
    assert_eq!(told(FIFO), ("sh".to_owned(), 0, Some(1), 1));
    assert_eq!(told(KWORKER), ("kworker/0:0H-events_highpri".to_owned(), -20, Some(0), 1));
    let before = NICED.split(' ').take(40).collect::<Vec<_>>().join(" ");
    assert_eq!(told(&before), ("sh".to_owned(), 10, None, 1), "a line of 40 fields");
    let odd = NICED.replace(" 10 1 0 ", " 1- 1 0 ");
    assert!(parse_process_stat(&format!("{odd}\n")).is_err(), "{odd}");

    let text = format!("7 (a) R (b\nc) ) D 1{}\n", " 3".repeat(48));
    let stat = parse_process_stat(&text).unwrap();
    assert_eq!((stat.pid, stat.comm, stat.state, stat.parent), (7, "a) R (b\nc) ", 'D', 1));

    let swap = parse_swaps("Filename Type Size Used Priority\n/a\\040b\\134c file 8 4 -2\n").unwrap().remove(0);
    assert_eq!((swap.path.as_str(), swap.size.get(), swap.priority), ("/a b\\c", 8192, -2));
    let mount = parse_mounts("/dev/sda1 /mnt/a\\011b ext4 rw 0 0\n").unwrap().remove(0);
    assert_eq!(mount.point.to_str(), Some("/mnt/a\tb"));
    let info = "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 shared:2 - overlay over rw,upperdir=/u,lowerdir=/l\n";
    let mount = parse_mountinfo(info).unwrap().remove(0);
    assert_eq!((mount.device, mount.option("upperdir"), mount.kind.as_str()), (Some((98, 0)), Some("/u"), "overlay"));

    let cpu_only_some = parse_pressure("some avg10=0.00 avg60=0.10 avg300=99.99 total=5\n").unwrap();
    assert_eq!((cpu_only_some.some.unwrap().average, cpu_only_some.full), ([0, 10, 9999], None));
    assert_eq!(parse_loadavg("0.01 1.20 12.34 2/350 4711\n").unwrap().load_milli, [10, 1200, 12340]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_text_never_panics(text in "[ -~\n]{0,300}|\\PC{0,100}") {
        for (_, parse) in PARSERS {
            let _ = parse(&text);
        }
    }

    #[test]
    fn a_damaged_file_never_panics(
        which in any::<prop::sample::Index>(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), 0u8..128, any::<bool>()), 1..8),
    ) {
        static INPUTS: std::sync::OnceLock<Vec<(String, String, Parser)>> = std::sync::OnceLock::new();
        let inputs = INPUTS.get_or_init(inputs);
        let (_, text, parse) = &inputs[which.index(inputs.len())];
        let mut bytes = text.clone().into_bytes();
        for (at, byte, remove) in damage {
            if bytes.is_empty() { break }
            let at = at.index(bytes.len());
            if remove { bytes.remove(at); } else { bytes[at] = byte; }
        }
        let _ = parse(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn what_is_printed_is_read(values in prop::collection::btree_map("[a-z_]{1,20}", any::<u64>(), 1..40)) {
        let mut text = "nr_free_pages 7\n".to_owned();
        let mut info = "MemTotal:        7 kB\n".to_owned();
        for (name, value) in &values {
            text += &format!("{name} {value}\n");
            info += &format!("{name}: {:>8} kB\n", value >> 12);
        }
        let (vmstat, meminfo) = (parse_vmstat(&text).unwrap(), parse_meminfo(&info).unwrap());
        for (name, value) in &values {
            prop_assert_eq!(vmstat.get(name), Some(*value));
            prop_assert_eq!(meminfo.count(name), Some((value >> 12) * 1024));
        }
    }
}
