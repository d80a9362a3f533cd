//! Small files that ask a reader for gigabytes, one or more for each format. Each has right checksums: only counting refuses it.

use parquet::basic::{Compression, ConvertedType, Encoding, Repetition, Type as Physical, ZstdLevel};
use parquet::column::writer::ColumnCloseResult;
use parquet::data_type::{ByteArray, ByteArrayType, FloatType, Int64Type};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{ColumnPath, Type};
use std::fmt::Write;
use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;

use crate::target::records;

/// A file, or the folder of a recording, that asks for far more memory than it is long.
#[derive(Debug, Clone, Copy)]
pub struct Bomb {
    /// What it is called.
    pub name: &'static str,
    /// What reads it.
    pub kind: Kind,
    /// Writes it to a path at which there is nothing yet.
    pub write: fn(&Path),
}

/// What reads a bomb.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The folder of a recording, or a file of `pagetide cut`.
    Recording,
    /// A recording that is read whole, but for its coarser times.
    Pyramid,
    /// A log of another tool.
    Import,
}

/// All of them.
pub const BOMBS: [Bomb; 13] = [
    Bomb { name: "manifest", kind: Kind::Recording, write: |path| manifest(path) },
    Bomb { name: "log-start", kind: Kind::Recording, write: |path| open(path, &start()) },
    Bomb { name: "log-one-sample", kind: Kind::Recording, write: |path| open(path, &one_sample()) },
    Bomb { name: "log-wide-rows", kind: Kind::Recording, write: |path| open(path, &wide_rows()) },
    Bomb { name: "log-many-samples", kind: Kind::Recording, write: |path| open(path, &many_samples()) },
    Bomb { name: "one.pagetide", kind: Kind::Recording, write: |path| file(path, &one_sample()) },
    Bomb { name: "row-groups", kind: Kind::Recording, write: |path| row_groups(path, 64) },
    Bomb { name: "pyramid", kind: Kind::Pyramid, write: pyramid },
    Bomb { name: "sar.txt", kind: Kind::Import, write: |path| file(path, sar().as_bytes()) },
    Bomb { name: "iostat.txt", kind: Kind::Import, write: |path| file(path, iostat().as_bytes()) },
    Bomb { name: "sadf-d.txt", kind: Kind::Import, write: |path| file(path, sadf_text().as_bytes()) },
    Bomb { name: "sadf.json", kind: Kind::Import, write: |path| file(path, sadf().as_bytes()) },
    Bomb { name: "fio.json", kind: Kind::Import, write: |path| file(path, fio().as_bytes()) },
];

fn file(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(path, bytes).expect("written");
}

fn open(folder: &Path, log: &[u8]) {
    file(&folder.join("manifest.json"), br#"{"schema_version": 1, "host": "bomb"}"#);
    file(&folder.join("open/20261121T000000Z-00000001.log"), log);
}

/// A number as a log has it.
fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value.to_le_bytes()[0] | 0x80);
        value >>= 7;
    }
    out.push(value.to_le_bytes()[0]);
}

const SCHEMA: u8 = 2;
const SAMPLE: u8 = 3;
const WHOLE: u8 = 4;
const SECOND: u64 = 1_000_000_000;
const BEGIN: u64 = 1_795_219_200 * SECOND;

/// The first two records: the start, and a schema of so many processes and columns.
fn begun(columns: usize, entities: usize) -> Vec<(u8, Vec<u8>)> {
    let start = br#"{"first_sample": 0, "manifest": {"schema_version": 3, "host": "bomb", "boot_id": "b"}}"#;
    let mut schema = String::from(r#"{"tables":["process"],"columns":["#);
    for number in 0..columns {
        let comma = if number == 0 { "" } else { "," };
        let _ = write!(schema, r#"{comma}["process",{{"name":"c{number}","kind":"gauge","unit":"count"}}]"#);
    }
    schema.push_str(r#"],"entities":["#);
    for number in 0..entities {
        let comma = if number == 0 { "" } else { "," };
        let _ = write!(schema, r#"{comma}["process",{{"name":"{number}","label":""}}]"#);
    }
    schema.push_str("]}");
    vec![(1, start.to_vec()), (SCHEMA, schema.into_bytes())]
}

/// Disks without a name: 3.9 MB of `{},` that stand for 200 MB, and twice that while the list grows.
fn disks() -> String {
    let disks = "{},".repeat(1_300_000);
    format!(r#"{{"schema_version": 3, "host": "bomb", "boot_id": "b", "disks": [{}]}}"#, disks.trim_end_matches(','))
}

fn manifest(folder: &Path) {
    file(&folder.join("manifest.json"), disks().as_bytes());
}

/// The same in the first record of a log.
fn start() -> Vec<u8> {
    let start = format!(r#"{{"first_sample": 0, "manifest": {}}}"#, disks());
    records::of(&[(1, start.into_bytes())])
}

/// A sample of one table, whose rows are `rows` as a log has them.
fn sample(out: &mut Vec<u8>, stamp: u64, count: u64, rows: &[u8]) {
    // Zigzag of the time since boot, and of how far the other clocks are from it.
    for number in [stamp * 2, 0, 0] {
        varint(out, number);
    }
    let mut section = Vec::new();
    varint(&mut section, count);
    section.extend(rows);
    varint(out, 0);
    varint(out, section.len() as u64);
    out.extend(section);
}

/// One sample that has the row of one process 800 000 times: 1.6 MB that stand for 12 GiB.
fn one_sample() -> Vec<u8> {
    let (mut records, rows) = (begun(1000, 1), 800_000usize);
    let mut content = Vec::new();
    // Entity 0 with no cell that differs; then "the one before the next", which is entity 0 again.
    sample(&mut content, BEGIN, rows as u64, &[[0, 0].as_slice(), &[1, 0].repeat(rows - 1)].concat());
    records.push((WHOLE, content));
    records::of(&records)
}

/// One sample of 20 000 processes without a value, in a table of 2 000 columns.
fn wide_rows() -> Vec<u8> {
    let (mut records, entities) = (begun(2000, 20_000), 20_000usize);
    let mut content = Vec::new();
    sample(&mut content, BEGIN, entities as u64, &[0, 0].repeat(entities));
    records.push((WHOLE, content));
    records::of(&records)
}

/// 70 000 samples in which 4 000 values are what they were before.
fn many_samples() -> Vec<u8> {
    let (mut records, columns) = (begun(4000, 1), 4000usize);
    let mut first = vec![0];
    varint(&mut first, columns as u64);
    // Each cell is the next one, and 1.
    first.extend([0, 2].repeat(columns));
    let mut content = Vec::new();
    sample(&mut content, BEGIN, 1, &first);
    records.push((WHOLE, content));
    for number in 0..70_000 {
        let mut content = Vec::new();
        // A second after the one before it: the first difference, then as it was.
        sample(&mut content, if number == 0 { SECOND } else { 0 }, 1, &[0, 0]);
        records.push((SAMPLE, content));
    }
    records::of(&records)
}

/// Rows of a row group.
const ROWS: usize = 1 << 20;

fn primitive(name: &str, physical: Physical, repetition: Repetition, converted: ConvertedType) -> Arc<Type> {
    let builder = Type::primitive_type_builder(name, physical).with_repetition(repetition);
    Arc::new(builder.with_converted_type(converted).build().expect("a column"))
}

fn properties(description: &str) -> Arc<WriterProperties> {
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(1).expect("a level")))
        .set_dictionary_enabled(false)
        .set_encoding(Encoding::PLAIN)
        .set_column_encoding(ColumnPath::from("sample"), Encoding::DELTA_BINARY_PACKED)
        .set_column_encoding(ColumnPath::from("wall_ns"), Encoding::DELTA_BINARY_PACKED)
        .set_column_encoding(ColumnPath::from("mono_ns"), Encoding::DELTA_BINARY_PACKED)
        .set_column_encoding(ColumnPath::from("boot_ns"), Encoding::DELTA_BINARY_PACKED)
        .set_statistics_enabled(EnabledStatistics::None)
        .set_offset_index_disabled(true)
        .set_data_page_row_count_limit(ROWS)
        .set_data_page_size_limit(64 << 20)
        .set_write_batch_size(ROWS)
        .set_key_value_metadata(Some(vec![KeyValue::new("pagetide".to_owned(), description.to_owned())]));
    Arc::new(properties.build())
}

/// A Parquet file with the same row group `groups` times: it is compressed once.
fn parquet(fields: Vec<Arc<Type>>, description: &str, groups: usize, rows: usize) -> Vec<u8> {
    let (one, columns) = (tempfile::tempfile().expect("a temporary file"), fields.clone());
    let schema = Arc::new(Type::group_type_builder("pagetide").with_fields(fields).build().expect("a schema"));
    let copied = one.try_clone().expect("a descriptor");
    let mut writer = SerializedFileWriter::new(copied, Arc::clone(&schema), properties("")).expect("a writer");
    row_group(&mut writer, &columns, rows);
    let metadata = writer.close().expect("a file");
    let mut bytes = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut bytes, schema, properties(description)).expect("a writer");
    for _ in 0..groups {
        let mut group = writer.next_row_group().expect("a row group");
        for column in metadata.row_group(0).columns() {
            let close = ColumnCloseResult {
                bytes_written: column.compressed_size().unsigned_abs(),
                rows_written: rows as u64,
                metadata: column.clone(),
                bloom_filter: None,
                column_index: None,
                offset_index: None,
            };
            group.append_column(&one, close).expect("a column");
        }
        group.close().expect("a row group");
    }
    writer.close().expect("a file");
    bytes
}

/// Writes a row group whose rows are all alike.
fn row_group(writer: &mut SerializedFileWriter<File>, columns: &[Arc<Type>], rows: usize) {
    let present = vec![1i16; rows];
    let mut group = writer.next_row_group().expect("a row group");
    for field in columns {
        let mut column = group.next_column().expect("a column").expect("as many as there are fields");
        let levels = field.is_optional().then_some(present.as_slice());
        let text = if field.name() == "metric" { "MemFree" } else { "" };
        let written = match field.get_physical_type() {
            Physical::INT64 => column.typed::<Int64Type>().write_batch(&vec![7; rows], levels, None),
            Physical::FLOAT => column.typed::<FloatType>().write_batch(&vec![0.0; rows], levels, None),
            _ => column.typed::<ByteArrayType>().write_batch(&vec![ByteArray::from(text); rows], levels, None),
        };
        written.expect("written");
        column.close().expect("a column");
    }
    group.close().expect("a row group");
}

fn samples(rows: usize, groups: usize) -> Vec<u8> {
    let times = ["sample", "wall_ns", "mono_ns", "boot_ns"];
    let fields = times.map(|name| primitive(name, Physical::INT64, Repetition::REQUIRED, ConvertedType::NONE));
    let description = r#"{"version":3,"file":"sample","siblings":{},"manifest":{"schema_version":3,"host":"bomb"}}"#;
    parquet(fields.into(), description, groups, rows)
}

/// Writes a sealed file under the name that has its checksum, and gives that.
fn sealed(folder: &Path, kind: &str, bytes: &[u8]) -> u32 {
    let checksum = crc32fast::hash(bytes);
    let name = format!("{kind}/host=bomb/date=2026-11-21/20261121T000000Z-00000001-{checksum:08x}.parquet");
    file(&folder.join(name), bytes);
    checksum
}

/// A file of samples with many row groups, none of which is too large.
fn row_groups(folder: &Path, groups: usize) {
    file(&folder.join("manifest.json"), br#"{"schema_version": 1, "host": "bomb"}"#);
    sealed(folder, "sample", &samples(ROWS, groups));
}

/// The same of buckets.
fn pyramid(folder: &Path) {
    file(&folder.join("manifest.json"), br#"{"schema_version": 1, "host": "bomb"}"#);
    let checksum = sealed(folder, "sample", &samples(400, 1));
    let strings = ["metric", "entity"];
    let strings = strings.map(|name| primitive(name, Physical::BYTE_ARRAY, Repetition::REQUIRED, ConvertedType::UTF8));
    let floats = ["mean", "amount", "min", "max", "weight"]
        .map(|name| primitive(name, Physical::FLOAT, Repetition::OPTIONAL, ConvertedType::NONE));
    let ends = primitive("end_ns", Physical::INT64, Repetition::REQUIRED, ConvertedType::NONE);
    let fields = [vec![ends], strings.into(), floats.into()].concat();
    let (groups, rows) = (24, 1 << 19);
    let listed = vec![r#"[10,"host"]"#; groups].join(",");
    let description = format!(r#"{{"version":3,"file":"pyramid","samples":{checksum},"groups":[{listed}]}}"#);
    sealed(folder, "pyramid", &parquet(fields, &description, groups, rows));
}

/// Disks of the texts below. Each has a value at the first of its moments and at one as many moments later.
const DISKS: usize = 20_000;

fn sar() -> String {
    let mut text = String::from(
        "Linux 6.1.0 (bomb) \t2026-11-21 \t_x86_64_\t(4 CPU)\n\n00:00:00          DEV       tps     rkB/s     wkB/s\n",
    );
    for moment in 0..2 * DISKS {
        let _ = writeln!(text, "{} d{} 1.00 1.00 1.00", time(moment), moment % DISKS);
    }
    text
}

/// A time of the day.
fn time(moment: usize) -> String {
    format!("{:02}:{:02}:{:02}", moment / 3600, moment / 60 % 60, moment % 60)
}

fn iostat() -> String {
    let mut text = String::from("Linux 6.1.0 (bomb) \t11/21/2026 \t_x86_64_\t(4 CPU)\n\n");
    for moment in 0..2 * DISKS {
        let _ = write!(text, "Device tps kB_read/s kB_wrtn/s\nd{} 1.00 1.00 1.00\n\n", moment % DISKS);
    }
    text
}

fn sadf_text() -> String {
    let mut text = String::from("# hostname;interval;timestamp;DEV;tps;rkB/s;wkB/s\n");
    for moment in 0..2 * DISKS {
        let _ = writeln!(text, "bomb;1;2026-11-21 {} UTC;d{};1.00;1.00;1.00", time(moment), moment % DISKS);
    }
    text
}

/// Objects of one key, in each other as deep as they are read: 5 bytes of text are a node of 632 bytes of a map.
fn nested() -> String {
    const DEPTH: usize = 100;
    let one = format!("{}0{}", r#"{"":"#.repeat(DEPTH), "}".repeat(DEPTH));
    vec![one; (12 << 20) / (5 * DEPTH)].join(",")
}

/// One sample of sadf's JSON.
fn sadf() -> String {
    format!(r#"{{"sysstat": {{"hosts": [{{"nodename": "bomb", "statistics": [{{"x": [{}]}}]}}]}}}}"#, nested())
}

fn fio() -> String {
    format!(r#"{{"fio version": "fio-3.33", "x": [{}]}}"#, nested())
}
