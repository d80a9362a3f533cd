//! The sampling programs: attached to a tracepoint they count its pages and pass the records with a sampled page on.
//!
//! One program per tracepoint, about 70 instructions, no loop. It returns 1, so that other perf users see the tracepoint as before
//! (0 would hide it from them, `kernel/trace/bpf_trace.c:trace_call_bpf`).

use crate::assembler::{Assembler, Comparison, Helper, Instruction, Label, Operation, Register, Width};
use crate::format::{Field, Format};
use crate::sampling::{MIX, Sampling};
use crate::tracepoint::Tracepoint;
use Comparison::{Equal, Greater, GreaterOrEqual, Less, NotEqual};
use Operation::{Add, And, Move, Multiply, Or, ShiftLeft, ShiftRight, Subtract, Xor};
use Register::{Frame, R0, R1, R2, R3, R4, R5, R6, R7, R8, R9};
use std::os::fd::RawFd;

/// Which tracepoint a program is for. The number is its place in the map of totals and in the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// `mm_filemap_add_to_page_cache`.
    Added = 0,
    /// `mm_filemap_delete_from_page_cache`: records with a sampled frame pass, too.
    Deleted = 1,
    /// `mm_filemap_get_pages`: repeated for every batch of a large read, counted once.
    Read = 2,
}

impl Purpose {
    pub(crate) const ALL: [Self; 3] = [Self::Added, Self::Deleted, Self::Read];
    /// How many there are.
    pub(crate) const COUNT: u32 = 3;

    /// The tracepoint.
    pub(crate) const fn tracepoint(self) -> Tracepoint {
        match self {
            Self::Added => Tracepoint::Added,
            Self::Deleted => Tracepoint::Deleted,
            Self::Read => Tracepoint::Read,
        }
    }
}

/// One entry of the map of totals, by offset of its fields. Each CPU has one for each [`Purpose`].
pub(crate) mod totals {
    /// Pages of all records.
    pub(crate) const PAGES: i16 = 0;
    /// Records that did not fit into the ring.
    pub(crate) const LOST: i16 = 8;
    /// The last read's thread, inode, first and last page, to recognise its repetitions.
    pub(crate) const TASK: i16 = 16;
    pub(crate) const INO: i16 = 24;
    pub(crate) const FIRST: i16 = 32;
    pub(crate) const LAST: i16 = 40;
    /// Records.
    pub(crate) const EVENTS: i16 = 48;
    /// Length of an entry: a cache line.
    pub(crate) const SIZE: u32 = 64;
}

/// The record that a program passes on, by offset of its fields.
pub(crate) mod record {
    /// Marks the record, at the place of a tracepoint record's id (at most 65 534).
    pub(crate) const MAGIC: u16 = 0xffff;
    /// [`MAGIC`], then a byte [`super::Purpose`], a byte order, four bytes device.
    pub(crate) const HEAD: u16 = 0;
    pub(crate) const INO: u16 = 8;
    pub(crate) const FIRST: u16 = 16;
    pub(crate) const LAST: u16 = 24;
    pub(crate) const PFN: u16 = 32;
    /// Length of a record.
    pub(crate) const SIZE: u16 = 40;
}

/// Where the record lies on the stack.
const RECORD: i16 = -40;
/// Where the key for the map of totals lies.
const KEY: i16 = -44;
/// Where the pointer to the totals is kept across calls.
const TOTALS: i16 = -56;

/// The descriptors of the maps that a program uses.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Maps {
    /// Array of [`totals`]: the entries of the CPUs for the first [`Purpose`], then for the next.
    pub(crate) totals: RawFd,
    /// CPUs that it has entries for.
    pub(crate) cpus: u32,
    /// Array of perf events, one for each CPU.
    pub(crate) output: RawFd,
}

/// Where a tracepoint has what the programs need.
#[derive(Debug, Clone, Copy)]
struct Fields {
    dev: Field,
    ino: Field,
    first: Field,
    last: Option<Field>,
    order: Option<Field>,
    pfn: Option<Field>,
}

impl Fields {
    fn find(format: &Format) -> Option<Self> {
        let field = |name| format.field(name);
        Some(Self {
            dev: field("s_dev")?,
            ino: field("i_ino")?,
            first: field("index")?,
            last: field("last_index"),
            order: field("order"),
            pfn: field("pfn"),
        })
    }
}

/// The program for a tracepoint; `None` when the tracepoint lacks a field.
pub(crate) fn sampling_program(
    purpose: Purpose,
    format: &Format,
    sampling: Sampling,
    maps: Maps,
) -> Option<Vec<Instruction>> {
    let fields = Fields::find(format)?;
    let mut code = Assembler::default();
    let [emit, done] = [code.label(), code.label()];
    code.compute(Move, R6, R1);
    load_range(&mut code, fields)?;
    load_totals(&mut code, purpose, maps, done)?;
    count_event(&mut code);
    if purpose == Purpose::Read {
        skip_repetition(&mut code, done);
    }
    count_pages(&mut code);
    if purpose == Purpose::Deleted {
        code.load(R1, R6, offset(fields.pfn?)?, Width::Double);
        code.compute(And, R1, 63);
        code.jump_if(R1, Equal, 0, emit);
    }
    pass_sampled(&mut code, sampling, emit, done)?;
    code.place(emit);
    output(&mut code, purpose, fields, maps, done)?;
    code.place(done);
    code.compute(Move, R0, 1);
    code.exit();
    code.finish()
}

fn offset(field: Field) -> Option<i16> {
    i16::try_from(field.offset).ok()
}

fn load_field(code: &mut Assembler, dst: Register, field: Field) -> Option<()> {
    code.load(dst, R6, offset(field)?, Width::of_bytes(field.size)?);
    Some(())
}

/// R7 = first page, R8 = last page, R9 = inode.
fn load_range(code: &mut Assembler, fields: Fields) -> Option<()> {
    load_field(code, R7, fields.first)?;
    load_field(code, R9, fields.ino)?;
    match (fields.last, fields.order) {
        (Some(last), _) => load_field(code, R8, last)?,
        (None, Some(order)) => {
            load_field(code, R1, order)?;
            code.compute(Move, R8, 1);
            code.compute(ShiftLeft, R8, R1);
            code.compute(Subtract, R8, 1);
            code.compute(Add, R8, R7);
        }
        (None, None) => code.compute(Move, R8, R7),
    }
    Some(())
}

/// R0 = this CPU's totals, kept on the stack, too.
fn load_totals(code: &mut Assembler, purpose: Purpose, maps: Maps, done: Label) -> Option<()> {
    code.call(Helper::CurrentCpu);
    code.compute(Add, R0, i32::try_from(purpose as u32 * maps.cpus).ok()?);
    code.store(Frame, KEY, R0, Width::Word);
    code.load_map(R1, maps.totals);
    code.compute(Move, R2, Frame);
    code.compute(Add, R2, i32::from(KEY));
    code.call(Helper::MapLookup);
    code.jump_if(R0, Equal, 0, done);
    code.store(Frame, TOTALS, R0, Width::Double);
    Some(())
}

/// `totals.events += 1`, with R0 = totals.
fn count_event(code: &mut Assembler) {
    code.load(R1, R0, totals::EVENTS, Width::Double);
    code.compute(Add, R1, 1);
    code.store(R0, totals::EVENTS, R1, Width::Double);
}

/// Ends when this is a later batch of the read seen last on this CPU: same thread, inode and last page, a larger first page.
fn skip_repetition(code: &mut Assembler, done: Label) {
    let new = code.label();
    code.call(Helper::PidTgid);
    code.compute(Move, R1, R0);
    code.load(R0, Frame, TOTALS, Width::Double);
    for (known, now) in [(totals::TASK, R1), (totals::INO, R9), (totals::LAST, R8)] {
        code.load(R2, R0, known, Width::Double);
        code.jump_if(R2, NotEqual, now, new);
    }
    code.load(R2, R0, totals::FIRST, Width::Double);
    code.jump_if(R7, Greater, R2, done);
    code.place(new);
    for (known, now) in [(totals::TASK, R1), (totals::INO, R9), (totals::LAST, R8), (totals::FIRST, R7)] {
        code.store(R0, known, now, Width::Double);
    }
}

/// `totals.pages += last - first + 1`, with R0 = totals.
fn count_pages(code: &mut Assembler) {
    code.compute(Move, R1, R8);
    code.compute(Subtract, R1, R7);
    code.compute(Add, R1, 1);
    code.load(R2, R0, totals::PAGES, Width::Double);
    code.compute(Add, R2, R1);
    code.store(R0, totals::PAGES, R2, Width::Double);
}

/// Goes to `emit` when the range has a sampled page, else to `done`. A range that is shorter than a group touches two groups at most.
fn pass_sampled(code: &mut Assembler, sampling: Sampling, emit: Label, done: Label) -> Option<()> {
    let shift = i32::try_from(sampling.shift()).ok()?;
    if shift == 0 {
        code.jump(emit);
        return Some(());
    }
    code.compute(Move, R1, R8);
    code.compute(Subtract, R1, R7);
    code.jump_if(R1, GreaterOrEqual, i32::try_from(sampling.scale() - 1).ok()?, emit);
    for (number, end) in [R7, R8].into_iter().enumerate() {
        let next = code.label();
        code.compute(Move, R1, end);
        code.compute(ShiftRight, R1, shift);
        if number == 1 {
            // The same group again: it was already checked.
            code.compute(Move, R2, R7);
            code.compute(ShiftRight, R2, shift);
            code.jump_if(R1, Equal, R2, done);
        }
        mix(code, shift);
        code.compute(ShiftLeft, R1, shift);
        code.compute(Or, R1, R3);
        code.jump_if(R1, Less, R7, next);
        code.jump_if(R1, Greater, R8, next);
        code.jump(emit);
        code.place(next);
    }
    code.jump(done);
    Some(())
}

/// R3 = the sampled place of group R1 of inode R9, as `sampling.rs:mix` has it; clobbers R4 and R5.
fn mix(code: &mut Assembler, shift: i32) {
    let multiply = |code: &mut Assembler, number| {
        code.load_number(R4, number);
        code.compute(Multiply, R3, R4);
    };
    let fold = |code: &mut Assembler, bits: i32| {
        code.compute(Move, R5, R3);
        code.compute(ShiftRight, R5, bits);
        code.compute(Xor, R3, R5);
    };
    code.compute(Move, R3, R9);
    multiply(code, MIX[0]);
    fold(code, 32);
    code.compute(Add, R3, R1);
    multiply(code, MIX[1]);
    fold(code, 29);
    multiply(code, MIX[2]);
    code.compute(ShiftRight, R3, 64 - shift);
}

/// Writes the record and counts it as lost when the ring is full.
fn output(code: &mut Assembler, purpose: Purpose, fields: Fields, maps: Maps, done: Label) -> Option<()> {
    let at = |field: u16| RECORD + field.cast_signed();
    code.compute(Move, R1, i32::from(record::MAGIC));
    code.store(Frame, at(record::HEAD), R1, Width::Half);
    code.compute(Move, R1, purpose as i32);
    code.store(Frame, at(record::HEAD) + 2, R1, Width::Byte);
    match fields.order {
        Some(order) => load_field(code, R1, order)?,
        None => code.compute(Move, R1, 0),
    }
    code.store(Frame, at(record::HEAD) + 3, R1, Width::Byte);
    load_field(code, R1, fields.dev)?;
    code.store(Frame, at(record::HEAD) + 4, R1, Width::Word);
    code.store(Frame, at(record::INO), R9, Width::Double);
    code.store(Frame, at(record::FIRST), R7, Width::Double);
    code.store(Frame, at(record::LAST), R8, Width::Double);
    match fields.pfn {
        Some(pfn) => load_field(code, R1, pfn)?,
        None => code.compute(Move, R1, 0),
    }
    code.store(Frame, at(record::PFN), R1, Width::Double);
    code.compute(Move, R1, R6);
    code.load_map(R2, maps.output);
    code.load_number(R3, 0xffff_ffff); // BPF_F_CURRENT_CPU
    code.compute(Move, R4, Frame);
    code.compute(Add, R4, i32::from(RECORD));
    code.compute(Move, R5, i32::from(record::SIZE));
    code.call(Helper::PerfEventOutput);
    code.jump_if(R0, Equal, 0, done);
    code.load(R1, Frame, TOTALS, Width::Double);
    code.load(R2, R1, totals::LOST, Width::Double);
    code.compute(Add, R2, 1);
    code.store(R1, totals::LOST, R2, Width::Double);
    Some(())
}
