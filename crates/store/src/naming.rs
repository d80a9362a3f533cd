//! Tells apart hosts that share a name: by the kernel's boot id, or else by the folder of the recording.

use std::collections::{BTreeMap, BTreeSet};

/// What identifies the host of a stretch of a recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostSpan<'a> {
    /// The path of the recording.
    pub recording: &'a str,
    /// The name of the host in it.
    pub host: &'a str,
    /// The kernel's boot id; empty when the recording does not say.
    pub boot_id: &'a str,
    /// Wall clock from start (included) to end (excluded), in one unit for all spans.
    pub range: (i64, i64),
}

/// The name of each recording by its folder: the shortest end of its path that no other recording has, or else the whole path.
pub fn folder_names<'a>(recordings: &BTreeSet<&'a str>) -> BTreeMap<&'a str, String> {
    // A run and a service keep their recording in a folder of this name.
    let parts = |recording: &str| -> Vec<String> {
        let path = recording.replace("/host=", "/").trim_end_matches('/').to_owned();
        let path = path.strip_suffix("/recording").unwrap_or(&path).to_owned();
        path.split('/').filter(|part| !part.is_empty()).rev().map(str::to_owned).collect()
    };
    let all: BTreeMap<&str, Vec<String>> = recordings.iter().map(|recording| (*recording, parts(recording))).collect();
    // How many recordings end in the same parts.
    let mut ends: BTreeMap<&[String], usize> = BTreeMap::new();
    for parts in all.values() {
        for count in 1..=parts.len() {
            *ends.entry(&parts[..count]).or_default() += 1;
        }
    }
    let name = |recording: &str, parts: &[String]| {
        let own = (1..=parts.len()).find(|count| ends.get(&parts[..*count]) == Some(&1));
        match own {
            Some(count) => parts[..count].iter().rev().cloned().collect::<Vec<_>>().join("/"),
            None if parts.is_empty() => String::new(),
            None => recording.to_owned(),
        }
    };
    all.iter().map(|(recording, parts)| (*recording, name(recording, parts))).collect()
}

/// `NAME (FOLDER)` for each host of a recording that shares its name with another machine, by name and recording; nothing for the others.
/// Two recordings of the same time with different boot ids are of two machines; a copy of a recording has the same boot id, and a host may
/// reboot within one recording.
pub fn hosts_told_apart<'a>(spans: &[HostSpan<'a>]) -> BTreeMap<(&'a str, &'a str), String> {
    let mut sorted: Vec<&HostSpan<'a>> = spans.iter().filter(|span| !span.boot_id.is_empty()).collect();
    sorted.sort_by_key(|span| (span.host, span.range));
    let mut shared: BTreeSet<&str> = BTreeSet::new();
    let mut beside: Vec<&HostSpan<'a>> = Vec::new();
    for span in sorted {
        if shared.contains(span.host) {
            continue;
        }
        beside.retain(|other| other.host == span.host && other.range.1 > span.range.0);
        if beside.iter().any(|other| other.boot_id != span.boot_id && other.recording != span.recording) {
            shared.insert(span.host);
        }
        beside.push(span);
    }
    let of_shared = spans.iter().filter(|span| shared.contains(span.host));
    let names = folder_names(&of_shared.clone().map(|span| span.recording).collect());
    let name = |span: &HostSpan<'a>| format!("{} ({})", span.host, names[span.recording]);
    of_shared.map(|span| ((span.host, span.recording), name(span))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span<'a>(recording: &'a str, range: (i64, i64), boot_id: &'a str) -> HostSpan<'a> {
        HostSpan { recording, host: "localhost", boot_id, range }
    }

    #[test]
    fn machines_of_one_name_are_told_apart_by_their_boots() {
        let two = [span("/r/a/recording", (0, 10), "x"), span("/r/b", (9, 12), "y"), span("/r/b", (12, 14), "y")];
        let apart = hosts_told_apart(&two);
        assert_eq!(apart.into_values().collect::<Vec<_>>(), ["localhost (a)", "localhost (b)"]);
        // One without a boot id has the same name, and a renamed host has another.
        let older = span("/r/old", (0, 10), "");
        let renamed = HostSpan { host: "web1", ..span("/r/b", (14, 16), "y") };
        let apart = hosts_told_apart(&[two.as_slice(), &[older, renamed]].concat());
        assert_eq!(apart.into_values().collect::<Vec<_>>(), ["localhost (a)", "localhost (b)", "localhost (old)"]);
        let other = HostSpan { host: "web1", ..span("/r/c", (0, 10), "z") };
        // A copy, one machine after a reboot, a recording across a reboot, one without a boot id, and another host.
        for same in [
            [span("/r/a", (0, 10), "x"), span("/r/b", (0, 10), "x")],
            [span("/r/a", (0, 10), "x"), span("/r/b", (10, 20), "y")],
            [span("/r/a", (0, 10), "x"), span("/r/a", (5, 10), "y")],
            [span("/r/a", (0, 10), ""), span("/r/b", (0, 10), "y")],
            [span("/r/a", (0, 10), "x"), other],
        ] {
            assert!(hosts_told_apart(&same).is_empty(), "{same:?}");
        }
    }

    #[test]
    fn a_folder_is_as_much_of_the_path_as_no_other_has() {
        let all = ["/r/a/recording", "/s/a", "/s/b", "/tree/host=web1", "/"];
        let names = folder_names(&all.into());
        assert_eq!(all.map(|recording| names[recording].as_str()), ["r/a", "s/a", "b", "web1", ""]);
        let within = folder_names(&["/r/a", "/r/a/recording"].into());
        assert_eq!(within.into_values().collect::<Vec<_>>(), ["/r/a", "/r/a/recording"]);
    }
}
