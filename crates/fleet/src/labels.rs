//! Labels of hosts from the user's inventory.

use crate::row::Text;
use pagetide_core::{Error, os_text};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// No inventory is larger.
const MAX_INVENTORY_BYTES: u64 = 16 << 20;
/// The column or key that has the host's name.
const HOST: &str = "host";

/// Reads an inventory: CSV with a head line, one of whose columns is `host`; or JSON, an array of objects with a key `host`, or an object
/// of objects by host. Every other column or key is an attribute.
///
/// # Errors
///
/// The file cannot be read or is neither; the message names the line.
pub fn labels(file: &Path) -> Result<BTreeMap<Text, BTreeMap<Text, Text>>, Error> {
    const HINT: &str = "write CSV with a column `host`, or JSON such as [{\"host\": \"web1\", \"site\": \"fra\"}]";
    let wrong = |what: String| Error::input(format!("{}: {what}", file.display()), HINT);
    let content =
        pagetide_dir::read_file(file, MAX_INVENTORY_BYTES).map_err(|error| wrong(os_text(&error).to_lowercase()))?;
    let text = str::from_utf8(&content).map_err(|error| wrong(format!("not UTF-8: {error}")))?;
    let text = text.trim_start_matches('\u{feff}');
    if text.trim_start().starts_with(['[', '{']) {
        let value: Value = serde_json::from_str(text).map_err(|error| wrong(error.to_string()))?;
        return json(value).map_err(wrong);
    }
    csv(text).map_err(wrong)
}

fn csv(text: &str) -> Result<BTreeMap<Text, BTreeMap<Text, Text>>, String> {
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
    let head = reader.headers().map_err(|error| error.to_string())?.clone();
    let host = head.iter().position(|name| name == HOST).ok_or("no column `host` in its first line")?;
    let mut hosts = BTreeMap::new();
    for record in reader.records() {
        let record = record.map_err(|error| error.to_string())?;
        let line = record.position().map_or(0, csv::Position::line);
        let cells = head.iter().zip(&record).enumerate();
        let labels = cells.filter(|(at, (_, value))| *at != host && !value.is_empty());
        let labels = labels.map(|(_, (name, value))| (name.into(), value.into())).collect();
        put(&mut hosts, &record[host], labels).map_err(|what| format!("line {line}: {what}"))?;
    }
    Ok(hosts)
}

fn json(value: Value) -> Result<BTreeMap<Text, BTreeMap<Text, Text>>, String> {
    let mut hosts = BTreeMap::new();
    match value {
        Value::Array(entries) => {
            for (at, entry) in entries.into_iter().enumerate() {
                let Value::Object(mut entry) = entry else { return Err(format!("entry {} is not an object", at + 1)) };
                let Some(Value::String(host)) = entry.remove(HOST) else {
                    return Err(format!("entry {} has no `host`", at + 1));
                };
                put(&mut hosts, &host, scalars(entry)).map_err(|what| format!("entry {}: {what}", at + 1))?;
            }
        }
        Value::Object(entries) => {
            for (host, entry) in entries {
                let Value::Object(entry) = entry else { return Err(format!("`{host}` is not an object")) };
                put(&mut hosts, &host, scalars(entry))?;
            }
        }
        _ => return Err("neither an array nor an object".to_owned()),
    }
    Ok(hosts)
}

/// The members with a single value: lists and objects are not attributes.
fn scalars(entry: serde_json::Map<String, Value>) -> BTreeMap<Text, Text> {
    let scalar = |value: Value| match value {
        Value::String(text) => Some(text).filter(|text| !text.is_empty()),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        _ => None,
    };
    entry.into_iter().filter_map(|(name, value)| Some((name.into(), scalar(value)?.into()))).collect()
}

fn put(
    hosts: &mut BTreeMap<Text, BTreeMap<Text, Text>>,
    host: &str,
    labels: BTreeMap<Text, Text>,
) -> Result<(), String> {
    match hosts.insert(host.into(), labels) {
        None => Ok(()),
        Some(_) => Err(format!("the host `{host}` appears twice")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<String, String> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("inventory");
        std::fs::write(&file, text).unwrap();
        let labels = labels(&file).map_err(|error| error.what.rsplit_once("inventory: ").unwrap().1.to_owned())?;
        Ok(serde_json::to_string(&labels).unwrap())
    }

    #[test]
    fn csv_and_json_say_the_same() {
        let expected = Ok(r#"{"db1":{"rack":"4","site":"fra"},"web1":{"site":"ber, mitte"}}"#.to_owned());
        assert_eq!(read("host,site,rack\nweb1,\"ber, mitte\",\ndb1, fra ,4\n"), expected);
        assert_eq!(
            read(r#"[{"host":"web1","site":"ber, mitte","tags":["a"]},{"host":"db1","site":"fra","rack":4}]"#),
            expected
        );
        assert_eq!(read(r#"{"web1":{"site":"ber, mitte","rack":null},"db1":{"site":"fra","rack":4}}"#), expected);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        assert_eq!(read("name,site\nweb1,fra\n"), Err("no column `host` in its first line".to_owned()));
        assert_eq!(read("host,site\na,1\na,2\n"), Err("line 3: the host `a` appears twice".to_owned()));
        assert!(read("host,site\na,1,2\n").unwrap_err().contains("line: 2"));
        assert_eq!(read(r#"[{"site":"fra"}]"#), Err("entry 1 has no `host`".to_owned()));
        assert_eq!(read(r#"[1]"#), Err("entry 1 is not an object".to_owned()));
        assert!(read(r#"{"a":"#).unwrap_err().contains("line 1"));
    }

    #[test]
    fn what_is_no_inventory_is_refused_before_it_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let large = folder.path().join("large");
        std::fs::File::create(&large).unwrap().set_len(MAX_INVENTORY_BYTES + 1).unwrap();
        for (file, why) in [(Path::new("/dev/zero"), "not a regular file"), (&large, "more than the 16777216")] {
            let error = labels(file).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
    }
}
