//! The `format` file of a tracepoint: where each field lies in a record.
//!
//! Offsets are read, never assumed: the kernel moves fields between versions (`kernel/trace/trace_events.c:f_show`).

use std::fmt::Write;

/// A tracepoint's record as its `format` file describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Format {
    /// The number that `perf_event_attr.config` and the record's `common_type` carry.
    pub id: u16,
    fields: Vec<(String, Field)>,
}

/// Where one field lies in a record, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// Bytes from the start of the record.
    pub offset: u16,
    /// Length in bytes.
    pub size: u16,
    /// Whether the number is signed.
    pub signed: bool,
}

impl Format {
    /// Parses the text of a `format` file; `None` when it has no `ID:` line. A field line that is not understood is skipped.
    pub fn parse(text: &str) -> Option<Self> {
        let id = text.lines().find_map(|line| line.strip_prefix("ID:"))?.trim().parse().ok()?;
        Some(Self { id, fields: text.lines().filter_map(parse_field).collect() })
    }

    /// As much of the `format` file as [`Self::parse`] reads.
    pub(crate) fn to_text(&self) -> String {
        let mut text = format!("ID:{}\n", self.id);
        for (name, Field { offset, size, signed }) in &self.fields {
            let signed = u8::from(*signed);
            let _ = writeln!(text, "field:{name};offset:{offset};size:{size};signed:{signed};");
        }
        text
    }

    /// The field called `name`.
    pub fn field(&self, name: &str) -> Option<Field> {
        self.fields.iter().find(|(known, _)| known == name).map(|(_, field)| *field)
    }
}

/// Parses a line `field:unsigned long pfn; offset:8; size:8; signed:0;`. The name of an array (`char bdi[32]`) is `bdi`, that of a
/// text of varying length (`__data_loc char[] path`) is `path`.
fn parse_field(line: &str) -> Option<(String, Field)> {
    let mut parts = line.trim().split(';').map(str::trim);
    let declaration = parts.next()?.strip_prefix("field:")?;
    let name = declaration.split_whitespace().next_back()?.split('[').next()?;
    let mut number = |key: &str| parts.next()?.strip_prefix(key)?.parse::<u16>().ok();
    let (offset, size, signed) = (number("offset:")?, number("size:")?, number("signed:")?);
    Some((name.trim_start_matches('*').to_owned(), Field { offset, size, signed: signed != 0 }))
}

impl Field {
    /// The field's bytes, when the record is long enough.
    pub fn bytes(self, record: &[u8]) -> Option<&[u8]> {
        record.get(usize::from(self.offset)..usize::from(self.offset) + usize::from(self.size))
    }

    /// The field as an unsigned number of 1, 2, 4 or 8 bytes; a signed field is extended by its sign.
    pub fn number(self, record: &[u8]) -> Option<u64> {
        let bytes = self.bytes(record)?;
        let mut wide = [0; 8];
        wide.get_mut(..bytes.len())?.copy_from_slice(bytes);
        let value = u64::from_ne_bytes(wide);
        let unused = 64_u32.checked_sub(u32::from(self.size) * 8)?;
        if !self.signed || unused >= 64 {
            return Some(value);
        }
        Some(((value << unused).cast_signed() >> unused).cast_unsigned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const DELETE: &str = "name: mm_filemap_delete_from_page_cache\nID: 601\nformat:\n\
        \tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\
        \tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n\
        \tfield:unsigned long pfn;\toffset:8;\tsize:8;\tsigned:0;\n\
        \tfield:dev_t s_dev;\toffset:32;\tsize:4;\tsigned:0;\n\
        \tfield:char bdi[32];\toffset:40;\tsize:32;\tsigned:0;\n\n\
        print fmt: \"dev %d:%d\", ((unsigned int) ((REC->s_dev) >> 20))\n";

    #[test]
    fn fields_are_found_by_name() {
        let format = Format::parse(DELETE).unwrap();
        assert_eq!(format.id, 601);
        assert_eq!(format.field("pfn"), Some(Field { offset: 8, size: 8, signed: false }));
        assert_eq!(format.field("common_pid"), Some(Field { offset: 4, size: 4, signed: true }));
        assert_eq!(format.field("bdi"), Some(Field { offset: 40, size: 32, signed: false }));
        assert_eq!(format.field("order"), None);
    }

    #[test]
    fn signed_fields_keep_their_sign() {
        let pid = Field { offset: 4, size: 4, signed: true };
        let record = [0, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff];
        assert_eq!(pid.number(&record).map(u64::cast_signed), Some(-2));
        assert_eq!(pid.number(&record[..6]), None);
    }

    proptest! {
        #[test]
        fn any_text_is_parsed_or_refused(text in ".{0,400}") {
            let _ = Format::parse(&text);
        }

        #[test]
        fn what_the_kernel_prints_is_read_back(
            id in 0u16..u16::MAX,
            fields in proptest::collection::vec(("[a-z_]{1,12}", 0u16..4096, 0u16..64, any::<bool>()), 0..12),
        ) {
            let mut text = format!("name: x\nID: {id}\nformat:\n");
            for (name, offset, size, signed) in &fields {
                text += &format!("\tfield:unsigned long {name};\toffset:{offset};\tsize:{size};\tsigned:{};\n", u8::from(*signed));
            }
            let format = Format::parse(&text).unwrap();
            prop_assert_eq!(format.id, id);
            for (name, ..) in &fields {
                let (_, offset, size, signed) = fields.iter().find(|field| field.0 == *name).unwrap();
                prop_assert_eq!(format.field(name), Some(Field { offset: *offset, size: *size, signed: *signed }));
            }
        }

        #[test]
        fn numbers_are_read_as_the_machine_wrote_them(value in any::<i32>(), before in 0usize..32) {
            let mut record = vec![0xa5; before];
            record.extend(value.to_ne_bytes());
            let field = Field { offset: u16::try_from(before).unwrap(), size: 4, signed: true };
            prop_assert_eq!(field.number(&record), Some(i64::from(value).cast_unsigned()));
            let field = Field { signed: false, ..field };
            prop_assert_eq!(field.number(&record), Some(u64::from(value.cast_unsigned())));
        }
    }
}
