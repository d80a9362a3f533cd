//! A small assembler for BPF programs, with the instructions that the sampling programs need
//! (`Documentation/bpf/standardization/instruction-set.rst`).

use std::os::fd::RawFd;

/// One instruction, as the kernel reads it (`struct bpf_insn`).
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Instruction {
    opcode: u8,
    registers: u8,
    offset: i16,
    immediate: i32,
}

/// A register. R0 is the result of calls and of the program, R1 to R5 are arguments, R6 to R9 survive calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Register {
    R0,
    R1,
    R2,
    R3,
    R4,
    R5,
    R6,
    R7,
    R8,
    R9,
    /// The end of the stack, which is read-only and 512 bytes deep.
    Frame,
}

/// The width of a load or store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Width {
    Word = 0x00,
    Half = 0x08,
    Byte = 0x10,
    Double = 0x18,
}

impl Width {
    /// The width of a field of so many bytes.
    pub(crate) const fn of_bytes(bytes: u16) -> Option<Self> {
        match bytes {
            1 => Some(Self::Byte),
            2 => Some(Self::Half),
            4 => Some(Self::Word),
            8 => Some(Self::Double),
            _ => None,
        }
    }
}

/// 64-bit arithmetic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    Add = 0x00,
    Subtract = 0x10,
    Multiply = 0x20,
    Or = 0x40,
    And = 0x50,
    ShiftLeft = 0x60,
    ShiftRight = 0x70,
    Xor = 0xa0,
    Move = 0xb0,
}

/// Unsigned 64-bit comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Comparison {
    Equal = 0x10,
    Greater = 0x20,
    GreaterOrEqual = 0x30,
    NotEqual = 0x50,
    Less = 0xa0,
}

/// The right side of an operation or comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operand {
    Register(Register),
    Number(i32),
}

impl From<Register> for Operand {
    fn from(register: Register) -> Self {
        Self::Register(register)
    }
}

impl From<i32> for Operand {
    fn from(number: i32) -> Self {
        Self::Number(number)
    }
}

/// Kernel functions that programs call, by `enum bpf_func_id`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Helper {
    MapLookup = 1,
    CurrentCpu = 8,
    PidTgid = 14,
    PerfEventOutput = 25,
    SequenceWrite = 127,
}

/// A place in the program that jumps go to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Label(usize);

/// A program being written.
#[derive(Debug, Default)]
pub(crate) struct Assembler {
    code: Vec<Instruction>,
    /// Where each label is, once placed.
    labels: Vec<Option<usize>>,
    /// Jumps and the labels they go to.
    jumps: Vec<(usize, Label)>,
}

const LOAD: u8 = 0x61;
const STORE: u8 = 0x63;
const LOAD_WIDE: u8 = 0x18;
const ARITHMETIC: u8 = 0x07;
const JUMP: u8 = 0x05;
const CALL: u8 = 0x85;
const EXIT: u8 = 0x95;
/// The right side is a register.
const BY_REGISTER: u8 = 0x08;
/// `BPF_PSEUDO_MAP_FD`: the wide load's number is a map's descriptor.
const MAP_DESCRIPTOR: u8 = 1;

impl Assembler {
    fn push(&mut self, opcode: u8, dst: u8, src: u8, offset: i16, immediate: i32) {
        self.code.push(Instruction { opcode, registers: registers(dst, src), offset, immediate });
    }

    /// `dst = *(width *)(src + offset)`
    pub(crate) fn load(&mut self, dst: Register, src: Register, offset: i16, width: Width) {
        self.push(LOAD | width as u8, dst as u8, src as u8, offset, 0);
    }

    /// `*(width *)(dst + offset) = src`
    pub(crate) fn store(&mut self, dst: Register, offset: i16, src: Register, width: Width) {
        self.push(STORE | width as u8, dst as u8, src as u8, offset, 0);
    }

    /// `dst = number`, of 64 bits.
    pub(crate) fn load_number(&mut self, dst: Register, number: u64) {
        self.load_wide(dst, 0, number);
    }

    /// `dst = map`
    pub(crate) fn load_map(&mut self, dst: Register, map: RawFd) {
        self.load_wide(dst, MAP_DESCRIPTOR, u64::from(map.cast_unsigned()));
    }

    fn load_wide(&mut self, dst: Register, src: u8, number: u64) {
        self.push(LOAD_WIDE, dst as u8, src, 0, half(number));
        self.push(0, 0, 0, 0, half(number >> 32));
    }

    /// `dst = dst operation operand`, in 64 bits.
    pub(crate) fn compute(&mut self, operation: Operation, dst: Register, operand: impl Into<Operand>) {
        match operand.into() {
            Operand::Register(src) => {
                self.push(ARITHMETIC | BY_REGISTER | operation as u8, dst as u8, src as u8, 0, 0);
            }
            Operand::Number(number) => self.push(ARITHMETIC | operation as u8, dst as u8, 0, 0, number),
        }
    }

    /// A label that is not placed yet.
    pub(crate) fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() - 1)
    }

    /// Places a label before the next instruction.
    pub(crate) fn place(&mut self, label: Label) {
        self.labels[label.0] = Some(self.code.len());
    }

    /// `if left comparison right goto label`, which must come later: there are no loops.
    pub(crate) fn jump_if(&mut self, left: Register, comparison: Comparison, right: impl Into<Operand>, label: Label) {
        self.jumps.push((self.code.len(), label));
        match right.into() {
            Operand::Register(src) => self.push(JUMP | BY_REGISTER | comparison as u8, left as u8, src as u8, 0, 0),
            Operand::Number(number) => self.push(JUMP | comparison as u8, left as u8, 0, 0, number),
        }
    }

    /// `goto label`
    pub(crate) fn jump(&mut self, label: Label) {
        self.jumps.push((self.code.len(), label));
        self.push(JUMP, 0, 0, 0, 0);
    }

    /// Calls a helper: arguments in R1 to R5, which it clobbers; result in R0.
    pub(crate) fn call(&mut self, helper: Helper) {
        self.push(CALL, 0, 0, 0, helper as i32);
    }

    /// Ends the program with the result in R0.
    pub(crate) fn exit(&mut self) {
        self.push(EXIT, 0, 0, 0, 0);
    }

    /// The program; `None` when a jump goes nowhere, backwards or too far.
    pub(crate) fn finish(mut self) -> Option<Vec<Instruction>> {
        for (from, label) in self.jumps {
            let distance = self.labels[label.0]?.checked_sub(from + 1)?;
            self.code[from].offset = i16::try_from(distance).ok()?;
        }
        Some(self.code)
    }
}

/// The low 32 bits, as the immediate holds them.
#[expect(clippy::cast_possible_truncation, reason = "the half is what is wanted")]
const fn half(number: u64) -> i32 {
    (number as u32).cast_signed()
}

/// Destination in the low nibble, source in the high one; a bit field, whose order follows the machine's.
const fn registers(dst: u8, src: u8) -> u8 {
    if cfg!(target_endian = "little") { src << 4 | dst } else { dst << 4 | src }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_are_encoded_as_the_specification_says() {
        let mut assembler = Assembler::default();
        let end = assembler.label();
        assembler.load(Register::R7, Register::R6, 24, Width::Double);
        assembler.compute(Operation::Add, Register::R7, 1);
        assembler.jump_if(Register::R7, Comparison::Greater, Register::R8, end);
        assembler.load_number(Register::R1, 0x1122_3344_5566_7788);
        assembler.place(end);
        assembler.exit();
        let code = assembler.finish().unwrap();
        // As llvm-objdump prints them: r7 = *(u64 *)(r6 + 24); r7 += 1; if r7 > r8 goto +2; r1 = … ll; exit
        let expected = [
            (0x79, 0x67, 24, 0),
            (0x07, 0x07, 0, 1),
            (0x2d, 0x87, 2, 0),
            (0x18, 0x01, 0, 0x5566_7788),
            (0, 0, 0, 0x1122_3344),
            (0x95, 0, 0, 0),
        ];
        let found: Vec<_> = code.iter().map(|i| (i.opcode, i.registers, i.offset, i.immediate)).collect();
        if cfg!(target_endian = "little") {
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn a_jump_backwards_or_to_nowhere_is_refused() {
        let mut assembler = Assembler::default();
        let start = assembler.label();
        assembler.place(start);
        assembler.exit();
        assembler.jump(start);
        assert_eq!(assembler.finish(), None);
        let mut assembler = Assembler::default();
        let nowhere = assembler.label();
        assembler.jump(nowhere);
        assert_eq!(assembler.finish(), None);
    }
}
