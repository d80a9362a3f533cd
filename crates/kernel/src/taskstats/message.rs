//! Generic netlink messages (`include/uapi/linux/{netlink,genetlink,taskstats}.h`): requests written, answers read, all
//! of it pure. Numbers are in the byte order of the machine.

use rustix::io::Errno;

/// The version and the size of the kernel's `struct taskstats`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// `TASKSTATS_VERSION`.
    pub version: u16,
    /// Its size in bytes.
    pub bytes: usize,
}

impl Layout {
    /// Whether the fields lie where they are looked for. New versions only add at the end, with one exception: version
    /// 15 (commit f65c64f311ee "delayacct: add delay min to record delay peak") put fields in the middle, for a time
    /// under number 14; version 16 (commit 0bf2d838de1f "taskstats: fix struct taskstats breaks backward compatibility since
    /// version 15") moved them to the end. So up to 14 the size must be the version's own.
    pub(super) fn is_known(self) -> bool {
        match self.version {
            8 => self.bytes == 328,
            9 => self.bytes == 344,
            10 => self.bytes == 352,
            11 => self.bytes == 368,
            12 => self.bytes == 400,
            13 => self.bytes == 416,
            14 => self.bytes == 432,
            16.. => self.bytes >= 432,
            _ => false,
        }
    }
}

const ERROR: u16 = 2; // NLMSG_ERROR
const REQUEST: u16 = 1; // NLM_F_REQUEST
const CONTROL_FAMILY: u16 = 16; // GENL_ID_CTRL
const GET_FAMILY: u8 = 3; // CTRL_CMD_GETFAMILY
const FAMILY_ID: u16 = 1; // CTRL_ATTR_FAMILY_ID
const FAMILY_NAME: u16 = 2; // CTRL_ATTR_FAMILY_NAME
const GET_STATS: u8 = 1; // TASKSTATS_CMD_GET
const BY_PROCESS: u16 = 2; // TASKSTATS_CMD_ATTR_TGID
const BEGIN: u16 = 3; // TASKSTATS_CMD_ATTR_REGISTER_CPUMASK
const END: u16 = 4; // TASKSTATS_CMD_ATTR_DEREGISTER_CPUMASK
const PROCESS: u16 = 2; // TASKSTATS_TYPE_TGID
const STATS: u16 = 3; // TASKSTATS_TYPE_STATS
const OF_TASK: u16 = 4; // TASKSTATS_TYPE_AGGR_PID
const OF_PROCESS: u16 = 5; // TASKSTATS_TYPE_AGGR_TGID
/// The type of an attribute without its flags (`NLA_TYPE_MASK`).
const TYPE: u16 = 0x3fff;

/// Bytes of `struct nlmsghdr`, of it with `struct genlmsghdr`, and of `struct nlattr`.
const HEADER: usize = 16;
const HEADERS: usize = HEADER + 4;
const ATTRIBUTE: usize = 4;

/// The largest request that is written.
pub(super) const REQUEST_BYTES: usize = 64;

/// The longest list of CPUs that fits into a request, with the zero byte at its end.
pub(super) const CPU_LIST_BYTES: usize = REQUEST_BYTES - HEADERS - ATTRIBUTE;

/// An answer of the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer<'a> {
    /// It refuses.
    Refused(Errno),
    /// What it says, as attributes.
    Given { attributes: &'a [u8] },
}

/// What an answer lacks to be one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Broken;

/// A request under construction.
struct Request<'b> {
    buffer: &'b mut [u8; REQUEST_BYTES],
    length: usize,
}

impl<'b> Request<'b> {
    fn new(buffer: &'b mut [u8; REQUEST_BYTES], family: u16, command: u8, sequence: u32) -> Self {
        buffer.fill(0);
        buffer[4..6].copy_from_slice(&family.to_ne_bytes());
        buffer[6..8].copy_from_slice(&REQUEST.to_ne_bytes());
        buffer[8..12].copy_from_slice(&sequence.to_ne_bytes());
        buffer[16] = command;
        buffer[17] = 1; // both families are at version 1
        Self { buffer, length: HEADERS }
    }

    /// Adds the only attribute and completes the length. `value` is 32 bytes at most.
    fn with(self, kind: u16, value: &[u8]) -> &'b [u8] {
        let Self { buffer, length } = self;
        let end = length + ATTRIBUTE + value.len();
        let attribute = u16::try_from(ATTRIBUTE + value.len()).unwrap_or(u16::MAX);
        buffer[length..length + 2].copy_from_slice(&attribute.to_ne_bytes());
        buffer[length + 2..length + 4].copy_from_slice(&kind.to_ne_bytes());
        buffer[length + ATTRIBUTE..end].copy_from_slice(value);
        let total = aligned(end);
        buffer[..4].copy_from_slice(&u32::try_from(total).unwrap_or(u32::MAX).to_ne_bytes());
        &buffer[..total]
    }
}

/// Asks for the number of a family by its name, which ends with a zero byte.
pub(super) fn ask_family<'b>(buffer: &'b mut [u8; REQUEST_BYTES], sequence: u32, name: &[u8]) -> &'b [u8] {
    Request::new(buffer, CONTROL_FAMILY, GET_FAMILY, sequence).with(FAMILY_NAME, name)
}

/// Asks for the sum over the threads of a process.
pub(super) fn ask_process(buffer: &mut [u8; REQUEST_BYTES], family: u16, sequence: u32, pid: u32) -> &[u8] {
    Request::new(buffer, family, GET_STATS, sequence).with(BY_PROCESS, &pid.to_ne_bytes())
}

/// Asks for a record of each task that ends on these CPUs, a list such as `0-3` that ends with a zero byte, or for no more of them.
pub(super) fn ask_exits<'b>(
    buffer: &'b mut [u8; REQUEST_BYTES],
    family: u16,
    sequence: u32,
    cpus: &[u8],
    begin: bool,
) -> &'b [u8] {
    Request::new(buffer, family, GET_STATS, sequence).with(if begin { BEGIN } else { END }, cpus)
}

/// Reads one message; its sequence number, and what it says.
pub(super) fn answer(bytes: &[u8]) -> Result<(u32, Answer<'_>), Broken> {
    let length = u32_at(bytes, 0)? as usize;
    let message = bytes.get(..length).filter(|message| message.len() >= HEADER).ok_or(Broken)?;
    let (kind, sequence) = (u16_at(message, 4)?, u32_at(message, 8)?);
    let said = if kind == ERROR {
        // A negative errno. 0 would acknowledge, which nobody asks for.
        let errno = u32_at(message, HEADER)?.wrapping_neg();
        let errno = i32::try_from(errno).ok().filter(|errno| (1..4096).contains(errno)).ok_or(Broken)?;
        Answer::Refused(Errno::from_raw_os_error(errno))
    } else {
        Answer::Given { attributes: message.get(HEADERS..).ok_or(Broken)? }
    };
    Ok((sequence, said))
}

/// The number of the family, from the answer to [`ask_family`].
pub(super) fn family(attributes: &[u8]) -> Result<u16, Broken> {
    u16_at(find(attributes, FAMILY_ID)?, 0)
}

/// `struct taskstats` of this process, from the answer to [`ask_process`].
pub(super) fn stats(attributes: &[u8], pid: u32) -> Result<&[u8], Broken> {
    let of_process = find(attributes, OF_PROCESS)?;
    if u32_at(find(of_process, PROCESS)?, 0)? != pid {
        return Err(Broken);
    }
    find(of_process, STATS)
}

/// `struct taskstats` of a task that has ended, from the record that the kernel sends then.
pub(super) fn exit(attributes: &[u8]) -> Result<&[u8], Broken> {
    find(find(attributes, OF_TASK)?, STATS)
}

/// The version and the size of a `struct taskstats`.
pub(super) fn layout(stats: &[u8]) -> Result<Layout, Broken> {
    Ok(Layout { version: u16_at(stats, 0)?, bytes: stats.len() })
}

/// A number of a `struct taskstats`, by its offset.
pub(super) fn number(stats: &[u8], offset: usize) -> Option<u64> {
    Some(u64::from_ne_bytes(stats.get(offset..offset + 8)?.try_into().ok()?))
}

/// The payload of the first attribute of this kind.
fn find(mut attributes: &[u8], kind: u16) -> Result<&[u8], Broken> {
    loop {
        let length = usize::from(u16_at(attributes, 0)?);
        let payload = attributes.get(ATTRIBUTE..length).ok_or(Broken)?;
        if u16_at(attributes, 2)? & TYPE == kind {
            return Ok(payload);
        }
        attributes = attributes.get(aligned(length)..).ok_or(Broken)?;
    }
}

/// Netlink pads to four bytes.
fn aligned(length: usize) -> usize {
    length.next_multiple_of(4)
}

fn u16_at(bytes: &[u8], at: usize) -> Result<u16, Broken> {
    let bytes = bytes.get(at..at + 2).ok_or(Broken)?;
    bytes.try_into().map(u16::from_ne_bytes).map_err(|_| Broken)
}

fn u32_at(bytes: &[u8], at: usize) -> Result<u32, Broken> {
    let bytes = bytes.get(at..at + 4).ok_or(Broken)?;
    bytes.try_into().map(u32::from_ne_bytes).map_err(|_| Broken)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn attribute(kind: u16, value: &[u8]) -> Vec<u8> {
        let length = u16::try_from(ATTRIBUTE + value.len()).unwrap();
        let mut bytes = [length.to_ne_bytes(), kind.to_ne_bytes()].concat();
        bytes.extend(value);
        bytes.resize(aligned(bytes.len()), 0);
        bytes
    }

    fn message(kind: u16, sequence: u32, body: &[u8]) -> Vec<u8> {
        let length = u32::try_from(HEADER + body.len()).unwrap();
        let mut bytes = length.to_ne_bytes().to_vec();
        bytes.extend(kind.to_ne_bytes());
        bytes.extend([0, 0]);
        bytes.extend(sequence.to_ne_bytes());
        bytes.extend([0; 4]);
        bytes.extend(body);
        bytes
    }

    /// An answer as the kernel builds it (`kernel/taskstats.c:mk_reply`), with an attribute that nobody knows in front.
    fn reply(sequence: u32, pid: u32, stats: &[u8]) -> Vec<u8> {
        let inner = [attribute(PROCESS, &pid.to_ne_bytes()), attribute(STATS, stats)].concat();
        // The kernel marks nested attributes since 5.2 (NLA_F_NESTED) in some families.
        let body = [vec![2, 1, 0, 0], attribute(6, &[]), attribute(OF_PROCESS | 0x8000, &inner)].concat();
        message(30, sequence, &body)
    }

    #[test]
    fn requests_are_as_the_kernel_wants_them() {
        let mut buffer = [0xff; REQUEST_BYTES];
        let asked = ask_process(&mut buffer, 30, 7, 4711).to_vec();
        let expected = [
            &28u32.to_ne_bytes()[..],
            &30u16.to_ne_bytes(),
            &1u16.to_ne_bytes(),
            &7u32.to_ne_bytes(),
            &[0; 4],
            &[1, 1, 0, 0],
            &8u16.to_ne_bytes(),
            &2u16.to_ne_bytes(),
            &4711u32.to_ne_bytes(),
        ];
        assert_eq!(asked, expected.concat());
        let asked = ask_family(&mut buffer, 1, b"TASKSTATS\0");
        assert_eq!((asked.len(), &asked[24..34]), (36, &b"TASKSTATS\0"[..]));
    }

    #[test]
    fn a_list_of_cpus_fits_and_the_record_of_an_exit_is_found_before_that_of_its_process() {
        let mut buffer = [0; REQUEST_BYTES];
        let longest = [b'7'; CPU_LIST_BYTES];
        let asked = ask_exits(&mut buffer, 30, 1, &longest, true);
        assert_eq!((asked.len(), &asked[20..24]), (REQUEST_BYTES, &[44, 0, 3, 0][..]));
        let task = [attribute(1, &9u32.to_ne_bytes()), attribute(STATS, &[7; 432])].concat();
        let process = [attribute(PROCESS, &9u32.to_ne_bytes()), attribute(STATS, &[8; 432])].concat();
        let both = [vec![2, 1, 0, 0], attribute(OF_TASK, &task), attribute(OF_PROCESS, &process)].concat();
        let bytes = message(30, 0, &both);
        let Ok((_, Answer::Given { attributes })) = answer(&bytes) else { panic!("{bytes:?}") };
        assert_eq!(exit(attributes), Ok(&[7; 432][..]));
        assert_eq!(exit(&attribute(OF_PROCESS, &process)), Err(Broken));
    }

    #[test]
    fn an_error_differs_from_an_answer() {
        let refused = message(ERROR, 3, &(-3i32).to_ne_bytes());
        assert_eq!(answer(&refused), Ok((3, Answer::Refused(Errno::SRCH))));
        for errno in [0, 1, i32::MIN, -4096] {
            assert_eq!(answer(&message(ERROR, 3, &errno.to_ne_bytes())), Err(Broken), "{errno}");
        }
    }

    proptest! {
        #[test]
        fn what_the_kernel_puts_in_comes_out(
            sequence: u32,
            pid: u32,
            stats in prop::collection::vec(any::<u8>(), 8..700),
            junk in prop::collection::vec(any::<u8>(), 0..64),
        ) {
            let bytes = [reply(sequence, pid, &stats), junk].concat();
            let (numbered, said) = answer(&bytes).unwrap();
            let Answer::Given { attributes } = said else { panic!("{said:?}") };
            prop_assert_eq!(numbered, sequence);
            prop_assert_eq!(super::stats(attributes, pid), Ok(&stats[..]));
            prop_assert_eq!(super::stats(attributes, pid.wrapping_add(1)), Err(Broken));
            let last = u64::from_ne_bytes(stats[stats.len() - 8..].try_into().unwrap());
            prop_assert_eq!(number(&stats, stats.len() - 8), Some(last));
            prop_assert_eq!(number(&stats, stats.len() - 7), None);
        }

        #[test]
        fn an_answer_that_is_cut_is_broken(cut in 0usize..10_000) {
            let whole = reply(1, 2, &[5; 432]);
            let cut = cut % whole.len();
            prop_assert_eq!(answer(&whole[..cut]), Err(Broken));
            // The same with a length that owns up to the cut.
            let mut short = whole[..cut].to_vec();
            if cut >= HEADER {
                short[..4].copy_from_slice(&u32::try_from(cut).unwrap().to_ne_bytes());
            }
            let stats = answer(&short).and_then(|(_, said)| match said {
                Answer::Given { attributes } => super::stats(attributes, 2),
                Answer::Refused(_) => Err(Broken),
            });
            prop_assert_eq!(stats, Err(Broken));
        }

        #[test]
        fn any_bytes_are_an_answer_or_broken(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            if let Ok((_, Answer::Given { attributes })) = answer(&bytes) {
                let _ = family(attributes);
                let _ = super::stats(attributes, 1);
                let _ = exit(attributes);
            }
            let _ = family(&bytes);
            let _ = exit(&bytes);
            let _ = super::stats(&bytes, 1);
            let _ = layout(&bytes);
        }
    }
}
