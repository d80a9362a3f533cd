//! Any bytes as the log of an open segment: what is valid comes back, a writer can go on behind it, and what it seals is the same.
//!
//! The first byte of an input says what the rest is: 0 the log as it is, anything else the records of one, each as kind, length of its
//! content (u16, little-endian) and content. Those get their lengths and checksums here (docs/FORMAT.md), or nothing but the
//! first record would ever be looked into.

use super::segment::given;
use crate::seed;
use pagetide_core::{Error, Manifest, Mark, MarkKind, Selection, Sink, Source};
use pagetide_store::{Keep, Reader, Writer};
use std::path::Path;

/// A log as it is, and the same as records.
pub fn seeds() -> Vec<Vec<u8>> {
    let folder = seed::scratch();
    let mut writer = Writer::create(folder.path()).expect("a writer");
    given(&mut writer);
    let open = std::fs::read_dir(folder.path().join("open")).expect("a folder").flatten().next().expect("a log");
    let log = std::fs::read(open.path()).expect("a log");
    let (mut records, mut at) = (vec![1], HEADER);
    while let Some(prefix) = log.get(at..at + PREFIX) {
        let length = u32::from_le_bytes([prefix[0], prefix[1], prefix[2], prefix[3]]) as usize;
        let content = &log[at + PREFIX..at + PREFIX + length];
        records.push(prefix[8]);
        records.extend(u16::try_from(length).expect("a short record").to_le_bytes());
        records.extend(content);
        at += PREFIX + length;
    }
    vec![[&[0], &log[..]].concat(), records]
}

const HEADER: usize = 16;
const PREFIX: usize = 9;

/// Puts records into the form of a log.
fn framed(mut records: &[u8]) -> Vec<u8> {
    let mut log = b"pagetide\x01\0\0\0".to_vec();
    log.extend(crc32fast::hash(&log).to_le_bytes());
    while let Some((&[kind, low, high], rest)) = records.split_first_chunk() {
        let (content, rest) = rest.split_at(usize::from(u16::from_le_bytes([low, high])).min(rest.len()));
        records = rest;
        let mut checksum = crc32fast::Hasher::new();
        checksum.update(&(log.len() as u64).to_le_bytes());
        checksum.update(&(content.len() as u64).to_le_bytes());
        checksum.update(&[kind]);
        checksum.update(content);
        log.extend(u32::try_from(content.len()).expect("two bytes").to_le_bytes());
        log.extend(checksum.finalize().to_le_bytes());
        log.push(kind);
        log.extend(content);
    }
    log
}

/// Reads the bytes as a log.
pub fn run(bytes: &[u8]) {
    let log = match bytes.split_first() {
        None => Vec::new(),
        Some((0, rest)) => rest.to_vec(),
        Some((_, rest)) => framed(rest),
    };
    let folder = seed::scratch();
    std::fs::create_dir_all(folder.path().join("open")).expect("a folder");
    std::fs::write(folder.path().join("manifest.json"), r#"{"schema_version": 1}"#).expect("a manifest");
    std::fs::write(folder.path().join("open/20261121T000000Z-00000001.log"), log).expect("a log");
    check(folder.path());
}

/// What can be read of a recording stays the same when a writer goes on behind it.
fn check(folder: &Path) {
    // Damage of an open log is a mark; of a sealed one the reader names the log that was set aside.
    let load = || {
        let reader = Reader::open(folder)?;
        let recording = reader.load(&Selection::default())?;
        let is_damage = |mark: &Mark| matches!(&mark.kind, MarkKind::Note { text } if text.contains(" is damaged at "));
        let marks: Vec<Mark> = recording.marks.iter().filter(|mark| !is_damage(mark)).cloned().collect();
        Ok::<_, Error>((recording.stamps().to_vec(), marks, !reader.damage().lines().is_empty()))
    };
    let Ok(before) = load() else { return };
    let Ok(mut writer) = Writer::open_or_continue(folder, Keep::default()) else { return };
    writer.finish(&Manifest::default()).expect("sealed");
    drop(writer);
    let after = load().expect("a sealed recording");
    assert_eq!((before.0, before.1), (after.0, after.1));
    // A record whose checksum is right and whose content is not, which no crash and no flipped bit leaves, is named only once sealed.
    assert!(after.2 || !before.2, "damage that was named before is named after sealing");
}
