//! What the hosts of rows are called.

use crate::row::Row;
use pagetide_store::naming::{HostSpan, folder_names, hosts_told_apart};
use std::collections::BTreeSet;

/// Nanoseconds of the hour that a row is of.
const HOUR_NS: i64 = 3_600_000_000_000;

/// Names every host after the folder of its recording, not by what the recording says.
pub fn hosts_from_folders(rows: &mut [Row]) {
    let recordings: BTreeSet<String> =
        rows.iter().filter_map(|row| row.recording.as_deref().map(str::to_owned)).collect();
    let names = folder_names(&recordings.iter().map(String::as_str).collect());
    for row in rows {
        if let Some(name) = row.recording.as_ref().and_then(|recording| names.get(&**recording)) {
            row.host = Some(name.as_str().into());
        }
    }
}

/// The rows with names of their own for hosts that share one; absent where none does.
pub(crate) fn told_apart(rows: &[Row]) -> Option<Vec<Row>> {
    let spans = rows.iter().filter_map(|row| {
        let (host, recording) = (row.host.as_deref()?, row.recording.as_deref()?);
        // Only what was diagnosed tells of a boot at a time.
        let (from, boot) = row.hour_ns.zip(row.boot_id.as_deref()).filter(|_| row.verdict.is_some()).unwrap_or((0, ""));
        Some(HostSpan { recording, host, boot_id: boot, range: (from, from.saturating_add(HOUR_NS)) })
    });
    let names = hosts_told_apart(&spans.collect::<Vec<_>>());
    let named = |row: &Row| {
        let name = row.host.as_deref().zip(row.recording.as_deref()).and_then(|of| names.get(&of));
        name.map_or_else(|| row.clone(), |name| Row { host: Some(name.as_str().into()), ..row.clone() })
    };
    (!names.is_empty()).then(|| rows.iter().map(named).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(recording: &str, hour: i64, boot: &str) -> Row {
        Row {
            host: Some("localhost".into()),
            hour_ns: Some(hour * HOUR_NS),
            verdict: Some("healthy".into()),
            boot_id: Some(boot.into()),
            ..Row::new(recording)
        }
    }

    fn hosts(rows: &[Row]) -> Vec<&str> {
        rows.iter().map(|row| row.host.as_deref().unwrap()).collect()
    }

    #[test]
    fn machines_of_one_name_are_told_apart_within_an_hour() {
        let unseen = Row { verdict: None, ..row("/r/b", 3, "y") };
        let apart = told_apart(&[row("/r/a/recording", 0, "x"), row("/r/b", 0, "y"), unseen]).unwrap();
        assert_eq!(hosts(&apart), ["localhost (a)", "localhost (b)", "localhost (b)"]);
        // A recording of before boots were recorded, and a host that was renamed.
        let old = Row { boot_id: None, ..row("/r/old", 0, "") };
        let renamed = Row { host: Some("web1".into()), ..row("/r/b", 1, "y") };
        let apart = told_apart(&[row("/r/a/recording", 0, "x"), row("/r/b", 0, "y"), old, renamed]).unwrap();
        assert_eq!(hosts(&apart), ["localhost (a)", "localhost (b)", "localhost (old)", "web1"]);
        assert!(told_apart(&[row("/r/a", 0, "x"), row("/r/b", 1, "y")]).is_none());
    }

    #[test]
    fn hosts_are_called_by_their_folders_on_demand() {
        let mut rows = [row("/r/a/recording", 0, "x"), row("/s/a", 0, "x"), row("/s/b", 5, "x")];
        hosts_from_folders(&mut rows);
        assert_eq!(hosts(&rows), ["r/a", "s/a", "b"]);
    }
}
