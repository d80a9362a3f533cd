//! The kernel's description of its own types (`/sys/kernel/btf/vmlinux`, Documentation/bpf/btf.rst): where a field lies in a structure,
//! and the number of a function.

/// `struct btf_type` without what follows it.
const TYPE_BYTES: usize = 12;
const STRUCTURE: u32 = 4;
const UNION: u32 = 5;
const FUNCTION: u32 = 12;
/// The type of a `typedef`, `volatile`, `const`, `restrict` or type tag is the one that it qualifies.
const BEFORE_A_TYPE: [u32; 5] = [8, 9, 10, 11, 18];

/// Types by their numbers.
#[derive(Debug)]
pub(crate) struct Btf<'a> {
    types: &'a [u8],
    strings: &'a [u8],
    /// Where each type begins; the first is number 1.
    offsets: Vec<u32>,
}

/// A type as it stands in the table.
#[derive(Debug, Clone, Copy)]
struct Type {
    name: u32,
    kind: u32,
    members: u32,
    /// Offsets of members have their width in bits beside them.
    has_widths: bool,
    /// Its size, or the type that it refers to.
    size: u32,
    at: usize,
}

/// Where a field lies, and how large it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) offset: u32,
    pub(crate) size: u32,
}

impl<'a> Btf<'a> {
    /// Finds where the types begin; absent if this is not BTF of a known form.
    pub(crate) fn parse(bytes: &'a [u8]) -> Option<Self> {
        if bytes.get(..3)? != [0x9f, 0xeb, 1] {
            return None;
        }
        let header = u32_at(bytes, 4)? as usize;
        let section = |at| {
            let begin = header.checked_add(u32_at(bytes, at)? as usize)?;
            bytes.get(begin..begin.checked_add(u32_at(bytes, at + 4)? as usize)?)
        };
        let mut btf = Self { types: section(8)?, strings: section(16)?, offsets: Vec::new() };
        let mut at = 0;
        while at < btf.types.len() {
            let known = btf.at(at)?;
            btf.offsets.push(u32::try_from(at).ok()?);
            at = known.at.checked_add(trailing(known.kind, known.members as usize)?)?;
        }
        Some(btf)
    }

    fn at(&self, at: usize) -> Option<Type> {
        let info = u32_at(self.types, at + 4)?;
        Some(Type {
            name: u32_at(self.types, at)?,
            kind: info >> 24 & 0x1f,
            members: info & 0xffff,
            has_widths: info >> 31 == 1,
            size: u32_at(self.types, at + 8)?,
            at: at + TYPE_BYTES,
        })
    }

    /// A type by its number, without what stands before it.
    fn get(&self, number: u32) -> Option<Type> {
        let mut number = number;
        // A chain of words before a type is short.
        for _ in 0..16 {
            let known = self.at(*self.offsets.get(number.checked_sub(1)? as usize)? as usize)?;
            if !BEFORE_A_TYPE.contains(&known.kind) {
                return Some(known);
            }
            number = known.size;
        }
        None
    }

    fn is_called(&self, name: u32, wanted: &str) -> bool {
        let rest = self.strings.get(name as usize..).unwrap_or_default();
        rest.strip_prefix(wanted.as_bytes()).is_some_and(|rest| rest.first() == Some(&0))
    }

    /// The number of a function.
    pub(crate) fn function(&self, name: &str) -> Option<u32> {
        let at = self.offsets.iter().position(|at| {
            self.at(*at as usize).is_some_and(|known| known.kind == FUNCTION && self.is_called(known.name, name))
        })?;
        u32::try_from(at + 1).ok()
    }

    /// Where a field lies in a structure: `["se", "sum_exec_runtime"]` is a field of a field.
    pub(crate) fn field(&self, structure: &str, path: &[&str]) -> Option<Place> {
        let mut all = self.offsets.iter().filter_map(|at| self.at(*at as usize));
        let mut known =
            all.find(|known| known.kind == STRUCTURE && known.members > 0 && self.is_called(known.name, structure))?;
        let mut offset = 0u32;
        for name in path {
            let (at, of) = self.member(known, name, 0)?;
            offset = offset.checked_add(at)?;
            known = self.get(of)?;
        }
        Some(Place { offset, size: known.size })
    }

    /// A member by its name, also of members without one: its offset in bytes and the number of its type.
    fn member(&self, of: Type, wanted: &str, depth: u8) -> Option<(u32, u32)> {
        if ![STRUCTURE, UNION].contains(&of.kind) || depth > 8 {
            return None;
        }
        for nth in 0..of.members as usize {
            let at = of.at + nth * TYPE_BYTES;
            let (name, kind, bits) =
                (u32_at(self.types, at)?, u32_at(self.types, at + 4)?, u32_at(self.types, at + 8)?);
            let bits = if of.has_widths { bits & 0xff_ffff } else { bits };
            if self.is_called(name, wanted) {
                return bits.is_multiple_of(8).then_some((bits / 8, kind));
            }
            if self.is_called(name, "")
                && let Some((offset, kind)) = self.get(kind).and_then(|inner| self.member(inner, wanted, depth + 1))
            {
                return Some(((bits / 8).checked_add(offset)?, kind));
            }
        }
        None
    }
}

/// Bytes that follow a type of this kind; absent for a kind that is not known.
fn trailing(kind: u32, members: usize) -> Option<usize> {
    Some(match kind {
        1 | 14 | 17 => 4,
        3 => 12,
        4 | 5 | 15 | 19 => 12 * members,
        6 | 13 => 8 * members,
        2 | 7..=12 | 16 | 18 => 0,
        _ => return None,
    })
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A BTF of these types, each as words, and names.
    fn btf(types: &[&[u32]], strings: &str) -> Vec<u8> {
        let types: Vec<u8> = types.concat().iter().flat_map(|word| word.to_ne_bytes()).collect();
        let (types_len, strings_len) = (u32::try_from(types.len()).unwrap(), u32::try_from(strings.len()).unwrap());
        let header = [24, 0, types_len, types_len, strings_len].map(u32::to_ne_bytes).concat();
        [&[0x9f, 0xeb, 1, 0][..], &header, &types, strings.as_bytes()].concat()
    }

    fn sample() -> Vec<u8> {
        // Names: task 1, pid 6, inner 10, time 16, begin 21.
        let strings = "\0task\0pid\0inner\0time\0begin\0";
        btf(
            &[
                &[0, 1 << 24, 4, 32],                                                      // 1: int of 4 bytes
                &[0, 1 << 24, 8, 64],                                                      // 2: int of 8 bytes
                &[10, 4 << 24 | 2, 16, 6, 1, 0, 16, 3 + 2, 64], // 3: struct inner { pid; time: typedef }
                &[0, 4 << 24 | 1, 8, 21, 2, 0],                 // 4: struct { begin }
                &[16, 8 << 24, 2],                              // 5: typedef of 2
                &[1, 1 << 31 | 4 << 24 | 3, 40, 6, 1, 4 << 24 | 32, 0, 4, 64, 10, 3, 192], // 6: struct task
                &[21, 12 << 24, 1],                             // 7: function begin
            ],
            strings,
        )
    }

    #[test]
    fn a_field_is_found_by_its_path_also_in_a_member_without_a_name() {
        let bytes = sample();
        let btf = Btf::parse(&bytes).unwrap();
        assert_eq!(btf.field("task", &["pid"]), Some(Place { offset: 4, size: 4 }));
        assert_eq!(btf.field("task", &["begin"]), Some(Place { offset: 8, size: 8 }));
        assert_eq!(btf.field("task", &["inner", "time"]), Some(Place { offset: 32, size: 8 }));
        assert_eq!((btf.field("task", &["time"]), btf.field("tas", &["pid"])), (None, None));
        assert_eq!((btf.function("begin"), btf.function("task")), (Some(7), None));
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_btf_or_none(change in 0usize..400, byte: u8, cut in 0usize..400) {
            let mut bytes = sample();
            if let Some(at) = bytes.get_mut(change) {
                *at = byte;
            }
            bytes.truncate(cut.max(8));
            if let Some(btf) = Btf::parse(&bytes) {
                let _ = (btf.field("task", &["inner", "time"]), btf.function("begin"));
            }
        }
    }
}
