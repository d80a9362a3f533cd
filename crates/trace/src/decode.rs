//! From a perf record's bytes to an [`Event`].

use crate::event::{Event, File, Frames, Kind, Range, Scope};
use crate::format::{Field, Format};
use crate::program::{Purpose, record};
use crate::tracepoint::Tracepoint;
use std::collections::BTreeMap;

/// Record types of `enum perf_event_type`.
mod kind {
    pub(super) const LOST: u32 = 2;
    pub(super) const COMM: u32 = 3;
    pub(super) const EXIT: u32 = 4;
    pub(super) const FORK: u32 = 7;
    pub(super) const SAMPLE: u32 = 9;
}

/// Decodes the records of the tracepoints whose formats it knows.
#[derive(Debug, Default)]
pub struct Decoder {
    tracepoints: BTreeMap<u16, (Tracepoint, Format)>,
}

impl Decoder {
    /// Learns where a tracepoint has its fields.
    pub fn learn(&mut self, tracepoint: Tracepoint, format: Format) {
        self.tracepoints.insert(format.id, (tracepoint, format));
    }

    /// Decodes a record of this type (`perf_event_header.type`) with this body; `None` when it is of no use or cut short.
    pub fn decode(&self, kind: u32, body: &[u8]) -> Option<Event> {
        match kind {
            kind::SAMPLE => {
                let raw_length = usize::try_from(u32_at(body, 16)?).ok()?;
                let kind = self.sample(body.get(20..20 + raw_length)?)?;
                Some(Event { time_ns: u64_at(body, 8)?, pid: u32_at(body, 0)?, tid: u32_at(body, 4)?, kind })
            }
            kind::FORK | kind::EXIT => {
                let (pid, parent) = (u32_at(body, 0)?, u32_at(body, 4)?);
                let kind = if kind == kind::FORK { Kind::Forked { parent } } else { Kind::Exited };
                Some(Event { time_ns: u64_at(body, 16)?, pid, tid: u32_at(body, 8)?, kind })
            }
            kind::COMM => {
                let (text, time_ns) = (body.get(8..body.len().checked_sub(16)?)?, trailing_time(body)?);
                Some(Event {
                    time_ns,
                    pid: u32_at(body, 0)?,
                    tid: u32_at(body, 4)?,
                    kind: Kind::Named { comm: text_of(text) },
                })
            }
            kind::LOST => {
                let kind = Kind::Lost(u64_at(body, 8)?);
                Some(Event { time_ns: trailing_time(body)?, pid: 0, tid: 0, kind })
            }
            _ => None,
        }
    }

    /// Decodes the raw part of a sample: a record of a BPF program or of a tracepoint.
    fn sample(&self, raw: &[u8]) -> Option<Kind> {
        let id = u16::from_ne_bytes(raw.get(..2)?.try_into().ok()?);
        if id == record::MAGIC {
            return program_record(raw);
        }
        let (tracepoint, format) = self.tracepoints.get(&id)?;
        let number = |name: &str| format.field(name)?.number(raw);
        let folio = || {
            let order = format.field("order").map_or(Some(0), |field| field.number(raw))?;
            let first = number("index")?;
            Some((
                range(number("s_dev")?, number("i_ino")?, first, first.checked_add((1 << narrow(order)?) - 1)?)?,
                order,
            ))
        };
        Some(match tracepoint {
            Tracepoint::Added => Kind::Added(folio()?.0),
            Tracepoint::Deleted => {
                let (range, order) = folio()?;
                Kind::Deleted(range, Frames { pfn: number("pfn")?, order: u8::try_from(order).ok()? })
            }
            Tracepoint::Read => {
                Kind::Read(range(number("s_dev")?, number("i_ino")?, number("index")?, number("last_index")?)?)
            }
            Tracepoint::DirectBegin => Kind::ReclaimBegin(Scope::Direct),
            Tracepoint::DirectEnd => Kind::ReclaimEnd(Scope::Direct),
            Tracepoint::GroupBegin => Kind::ReclaimBegin(Scope::Group),
            Tracepoint::GroupEnd => Kind::ReclaimEnd(Scope::Group),
            Tracepoint::KswapdWoken => Kind::KswapdWoken,
            Tracepoint::Allocated => {
                Kind::Allocated(Frames { pfn: number("pfn")?, order: u8::try_from(number("order")?).ok()? })
            }
            Tracepoint::Moved => Kind::Moved {
                pid: u32::try_from(number("pid")?).ok()?,
                hierarchy: u32::try_from(number("dst_root")?).ok()?,
                group: text_of(text_at(raw, number("dst_path")?)?),
            },
            Tracepoint::Throttled => Kind::Throttled {
                device: text_of(format.field("bdi")?.bytes(raw)?),
                pause_ns: u64::try_from(number("pause")?.cast_signed()).unwrap_or(0).saturating_mul(1_000_000),
            },
        })
    }
}

/// A record of `program.rs`.
fn program_record(raw: &[u8]) -> Option<Kind> {
    let (purpose, order) = (*raw.get(2)?, *raw.get(3)?);
    let number = |offset: u16| Field { offset, size: 8, signed: false }.number(raw);
    let dev = u32_at(raw, 4)?.into();
    let range = range(dev, number(record::INO)?, number(record::FIRST)?, number(record::LAST)?)?;
    match purpose {
        purpose if purpose == Purpose::Added as u8 => Some(Kind::Added(range)),
        purpose if purpose == Purpose::Deleted as u8 => {
            Some(Kind::Deleted(range, Frames { pfn: number(record::PFN)?, order }))
        }
        purpose if purpose == Purpose::Read as u8 => Some(Kind::Read(range)),
        _ => None,
    }
}

fn range(dev: u64, ino: u64, first: u64, last: u64) -> Option<Range> {
    (first <= last).then_some(Range { file: File { dev: u32::try_from(dev).ok()?, ino }, first, last })
}

/// An order that a folio can have.
fn narrow(order: u64) -> Option<u32> {
    u32::try_from(order).ok().filter(|order| *order < 32)
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_ne_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

/// The time of a record that is not a sample is at its end (`sample_id_all` with `TID | TIME`).
fn trailing_time(body: &[u8]) -> Option<u64> {
    u64_at(body, body.len().checked_sub(8)?)
}

/// A text of varying length: its field says where it begins and how long it is (`__data_loc`).
fn text_at(raw: &[u8], place: u64) -> Option<&[u8]> {
    let (offset, length) = (usize::try_from(place & 0xffff).ok()?, usize::try_from(place >> 16 & 0xffff).ok()?);
    raw.get(offset..offset + length)
}

/// Text up to its first 0.
fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes.split(|byte| *byte == 0).next().unwrap_or_default()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn decoder() -> Decoder {
        let text = "ID: 601\nformat:\n\tfield:unsigned long pfn;\toffset:8;\tsize:8;\tsigned:0;\n\
            \tfield:unsigned long i_ino;\toffset:16;\tsize:8;\tsigned:0;\n\tfield:unsigned long index;\toffset:24;\tsize:8;\tsigned:0;\n\
            \tfield:dev_t s_dev;\toffset:32;\tsize:4;\tsigned:0;\n\tfield:unsigned char order;\toffset:36;\tsize:1;\tsigned:0;\n";
        let mut decoder = Decoder::default();
        decoder.learn(Tracepoint::Deleted, Format::parse(&text.replace("ID: ", "ID:")).unwrap());
        decoder
    }

    fn sample(raw: &[u8]) -> Vec<u8> {
        let mut body = Vec::new();
        body.extend(7_u32.to_ne_bytes());
        body.extend(8_u32.to_ne_bytes());
        body.extend(99_u64.to_ne_bytes());
        body.extend(u32::try_from(raw.len()).unwrap().to_ne_bytes());
        body.extend(raw);
        body
    }

    proptest! {
        #[test]
        fn any_bytes_are_decoded_or_refused(kind in 0u32..12, body in proptest::collection::vec(any::<u8>(), 0..120)) {
            let _ = decoder().decode(kind, &body);
            let mut with_id = sample(&body);
            if let Some(id) = with_id.get_mut(20..22) {
                id.copy_from_slice(&601_u16.to_ne_bytes());
            }
            let _ = decoder().decode(9, &with_id);
        }
    }

    #[test]
    fn a_deletion_has_its_range_and_frames() {
        let mut raw = vec![0; 40];
        raw[..2].copy_from_slice(&601_u16.to_ne_bytes());
        raw[8..16].copy_from_slice(&512_u64.to_ne_bytes());
        raw[16..24].copy_from_slice(&33_u64.to_ne_bytes());
        raw[24..32].copy_from_slice(&64_u64.to_ne_bytes());
        raw[32..36].copy_from_slice(&(8_u32 << 20 | 1).to_ne_bytes());
        raw[36] = 2;
        let event = decoder().decode(9, &sample(&raw)).unwrap();
        let file = File { dev: 8 << 20 | 1, ino: 33 };
        let kind = Kind::Deleted(Range { file, first: 64, last: 67 }, Frames { pfn: 512, order: 2 });
        assert_eq!(event, Event { time_ns: 99, pid: 7, tid: 8, kind });
        assert_eq!((file.major(), file.minor()), (8, 1));
    }

    #[test]
    fn a_text_of_varying_length_is_found_by_its_field() {
        let text = "ID:538\nformat:\n\tfield:int dst_root;\toffset:8;\tsize:4;\tsigned:1;\n\tfield:int pid;\toffset:12;\tsize:4;\tsigned:1;\n\
            \tfield:__data_loc char[] dst_path;\toffset:16;\tsize:4;\tsigned:0;\n";
        let mut decoder = Decoder::default();
        decoder.learn(Tracepoint::Moved, Format::parse(text).unwrap());
        let mut raw = vec![0; 20];
        raw[..2].copy_from_slice(&538_u16.to_ne_bytes());
        raw[8] = 4;
        raw[12] = 77;
        raw[16..20].copy_from_slice(&(20_u32 | 6 << 16).to_ne_bytes());
        raw.extend(b"/a/bc\0");
        let moved = Kind::Moved { pid: 77, hierarchy: 4, group: "/a/bc".into() };
        assert_eq!(decoder.decode(9, &sample(&raw)).map(|event| event.kind), Some(moved));
        raw.truncate(24);
        assert_eq!(decoder.decode(9, &sample(&raw)), None, "cut short");
    }

    #[test]
    fn a_name_ends_at_its_zero() {
        let mut body = Vec::new();
        body.extend(7_u32.to_ne_bytes());
        body.extend(8_u32.to_ne_bytes());
        body.extend(*b"tar\0\0\0\0\0");
        body.extend([0; 8]);
        body.extend(55_u64.to_ne_bytes());
        let event = decoder().decode(3, &body).unwrap();
        assert_eq!(event, Event { time_ns: 55, pid: 7, tid: 8, kind: Kind::Named { comm: "tar".into() } });
    }
}
