//! Hosts of one name: told apart by the boot of their kernel, or called by the folder of their recording.

use crate::row::{Row, Text};
use std::collections::{BTreeMap, BTreeSet};

/// What a host is called after the folder of its recording: the end of its path that no other recording of `all` has.
fn folder_of(recording: &str, all: &BTreeSet<&str>) -> String {
    // A run and a service keep their recording in a folder of this name.
    let parts = |recording: &str| -> Vec<String> {
        let path = recording.replace("/host=", "/").trim_end_matches('/').to_owned();
        let path = path.strip_suffix("/recording").unwrap_or(&path).to_owned();
        path.split('/').filter(|part| !part.is_empty()).rev().map(str::to_owned).collect()
    };
    let own = parts(recording);
    let others: Vec<Vec<String>> = all.iter().filter(|other| **other != recording).map(|other| parts(other)).collect();
    let enough =
        (1..own.len()).find(|count| !others.iter().any(|other| other.iter().take(*count).eq(own.iter().take(*count))));
    let kept = own.iter().take(enough.unwrap_or(own.len())).rev().cloned();
    kept.collect::<Vec<_>>().join("/")
}

/// Has every host called by the folder of its recording, whatever the recording says.
pub fn hosts_from_folders(rows: &mut [Row]) {
    let names = rows.iter().filter_map(|row| row.recording.clone()).collect::<BTreeSet<Text>>();
    let all: BTreeSet<&str> = names.iter().map(|name| &**name).collect();
    let called: BTreeMap<Text, Text> = names.iter().map(|name| (name.clone(), folder_of(name, &all).into())).collect();
    for row in rows {
        if let Some(name) = row.recording.as_ref().and_then(|recording| called.get(recording)) {
            row.host = Some(name.clone());
        }
    }
}

/// The rows with names of their own for hosts that share one, `NAME (FOLDER)`; absent where none does. Two recordings of the same hours
/// whose kernels were booted apart are of two machines; a copy of a recording has its boot.
pub(crate) fn told_apart(rows: &[Row]) -> Option<Vec<Row>> {
    let mut boots: BTreeMap<(&str, i64), BTreeMap<&str, &str>> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.verdict.is_some()) {
        let (Some(host), Some(hour), Some(boot)) = (&row.host, row.hour_ns, &row.boot_id) else { continue };
        boots.entry((host, hour)).or_default().insert(boot, row.recording.as_deref().unwrap_or_default());
    }
    // A host that was booted within the hour has two boots in one recording.
    let several = |of: &BTreeMap<&str, &str>| of.values().collect::<BTreeSet<_>>().len() > 1;
    let shared: BTreeSet<&str> = boots.iter().filter(|(_, of)| several(of)).map(|((host, _), _)| *host).collect();
    if shared.is_empty() {
        return None;
    }
    let is_shared = |row: &Row| row.host.as_deref().is_some_and(|host| shared.contains(host));
    let of_shared = rows.iter().filter(|row| is_shared(row)).filter_map(|row| row.recording.as_deref());
    let all: BTreeSet<&str> = of_shared.collect();
    let called: BTreeMap<&str, String> = all.iter().map(|name| (*name, folder_of(name, &all))).collect();
    let named = |row: &Row| match row.recording.as_deref().and_then(|name| called.get(name)) {
        Some(folder) if is_shared(row) => {
            let host = format!("{} ({folder})", row.host.as_deref().unwrap_or_default());
            Row { host: Some(host.into()), ..row.clone() }
        }
        _ => row.clone(),
    };
    Some(rows.iter().map(named).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(recording: &str, hour: i64, boot: Option<&str>) -> Row {
        Row {
            host: Some("localhost".into()),
            hour_ns: Some(hour),
            verdict: Some("healthy".into()),
            boot_id: boot.map(Into::into),
            ..Row::new(recording)
        }
    }

    fn hosts(rows: &[Row]) -> Vec<&str> {
        rows.iter().map(|row| row.host.as_deref().unwrap()).collect()
    }

    #[test]
    fn machines_of_one_name_are_told_apart_by_their_boots() {
        let two = [row("/r/a/recording", 0, Some("x")), row("/r/b", 0, Some("y")), row("/r/b", 1, Some("y"))];
        let apart = told_apart(&two).unwrap();
        assert_eq!(hosts(&apart), ["localhost (a)", "localhost (b)", "localhost (b)"]);
        // A copy, one machine that was booted again, and recordings of before, which do not say.
        for same in [
            [row("/r/a", 0, Some("x")), row("/r/b", 0, Some("x"))],
            [row("/r/a", 0, Some("x")), row("/r/b", 1, Some("y"))],
            [row("/r/a", 0, Some("x")), row("/r/a", 0, Some("y"))],
            [row("/r/a", 0, None), row("/r/b", 0, Some("y"))],
        ] {
            assert!(told_apart(&same).is_none(), "{same:?}");
        }
    }

    #[test]
    fn a_folder_is_as_much_of_the_path_as_no_other_has() {
        let mut rows =
            ["/r/a/recording", "/s/a", "/s/b", "/tree/host=web1", "/"].map(|name| row(name, 0, None)).to_vec();
        hosts_from_folders(&mut rows);
        assert_eq!(hosts(&rows), ["r/a", "s/a", "b", "web1", ""]);
    }
}
