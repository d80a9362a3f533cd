//! What a control group's files say of single devices: `io.stat`, `io.max` and `io.latency` of v2, `blkio.throttle.*` of v1
//! (`block/blk-cgroup.c:blkcg_print_stat`, `block/blk-throttle.c:tg_prfill_limit`).

use crate::error::{Error, Problem};
use crate::mounts::parse_device;
use crate::text::{lines, number, pieces};

const FILE: &str = "cgroup";

/// A device's major and minor number.
pub type Device = (u32, u32);

/// Hands out every `KEY=VALUE` of a v2 file with its device; `max` is not a number and is left out. An empty file has no values.
///
/// Kernels before 5.14 print the number of a device that has no numbers without a line feed behind it, so a line may hold several.
///
/// # Errors
/// Names the line that is not understood.
pub fn keyed<'a>(text: &'a str, mut give: impl FnMut(Device, &'a str, u64)) -> Result<(), Error> {
    each_line(text, |line| {
        let mut device = None;
        for word in pieces(line, b' ').filter(|word| !word.is_empty()) {
            match word.split_once('=') {
                Some((key, value)) => {
                    let device = device.ok_or(Problem::Short)?;
                    match number(value) {
                        Some(value) => give(device, key, value),
                        None if value == "max" => {}
                        // The weight of iocost (`cost.vrate=100.00`) and what may follow.
                        None if value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') => {}
                        None => return Err(Problem::NotANumber),
                    }
                }
                None => device = Some(parse_device(word).ok_or(Problem::Foreign)?),
            }
        }
        Ok(())
    })
}

/// Hands out the numbers of a v1 file: `8:16 Read 4096` with its word, `8:16 1048576` with an empty one. The line of the total is left out.
///
/// # Errors
/// Names the line that is not understood.
pub fn by_operation<'a>(text: &'a str, mut give: impl FnMut(Device, &'a str, u64)) -> Result<(), Error> {
    each_line(text, |line| {
        let mut words = pieces(line, b' ');
        let Some(device) = words.next().and_then(parse_device) else { return Ok(()) };
        let (first, second) = (words.next().ok_or(Problem::Short)?, words.next());
        let (operation, value) = second.map_or(("", first), |second| (first, second));
        give(device, operation, number(value).ok_or(Problem::NotANumber)?);
        Ok(())
    })
}

fn each_line<'a>(text: &'a str, mut read: impl FnMut(&'a str) -> Result<(), Problem>) -> Result<(), Error> {
    if text.is_empty() {
        return Ok(());
    }
    for (at, line) in lines(FILE, text)? {
        read(line).map_err(|problem| Error::line(FILE, at, problem))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Given<'a> = Vec<(Device, &'a str, u64)>;

    fn v2(text: &str) -> Result<Given<'_>, Error> {
        let mut given = Vec::new();
        keyed(text, |device, key, value| given.push((device, key, value))).map(|()| given)
    }

    fn v1(text: &str) -> Result<Given<'_>, Error> {
        let mut given = Vec::new();
        by_operation(text, |device, key, value| given.push((device, key, value))).map(|()| given)
    }

    #[test]
    fn limits_and_counters_of_each_device_are_given_and_max_is_no_number() {
        assert_eq!(
            v2("8:16 rbps=2097152 wbps=max riops=max wiops=120\n").unwrap(),
            [((8, 16), "rbps", 2_097_152), ((8, 16), "wiops", 120)]
        );
        assert_eq!(
            v2("8:0 target=75000\n254:1 target=10\n").unwrap(),
            [((8, 0), "target", 75_000), ((254, 1), "target", 10)]
        );
        assert_eq!(v2("").unwrap(), []);
        assert_eq!(v2("7:0 7:1 8:0 rbytes=5 cost.vrate=100.00\n").unwrap(), [((8, 0), "rbytes", 5)]);
    }

    #[test]
    fn a_v1_file_names_the_operation_or_has_one_number() {
        assert_eq!(
            v1("8:16 Read 4096\n8:16 Total 4096\nTotal 4096\n").unwrap(),
            [((8, 16), "Read", 4096), ((8, 16), "Total", 4096)]
        );
        assert_eq!(v1("8:16 1048576\n").unwrap(), [((8, 16), "", 1_048_576)]);
    }

    #[test]
    fn what_is_no_number_or_cut_off_is_an_error() {
        for bad in ["8:16 rbps=1x\n", "8:16 rbps=12", "rbps=1\n", "disk rbps=1\n"] {
            assert!(v2(bad).is_err(), "{bad:?}");
        }
        for bad in ["8:16 Read x\n", "8:16\n", "8:16 Read 12"] {
            assert!(v1(bad).is_err(), "{bad:?}");
        }
    }

    proptest! {
        #[test]
        fn any_text_gives_numbers_or_an_error(text in "[0-9:a-z= .\n]{0,60}") {
            let _ = v2(&text);
            let _ = v1(&text);
        }

        #[test]
        fn what_the_kernel_prints_is_read_back(
            rows in prop::collection::vec((0u32..512, 0u32..300, any::<u64>(), any::<u64>()), 0..5),
        ) {
            let text: String =
                rows.iter().map(|(major, minor, r, w)| format!("{major}:{minor} rbytes={r} wbytes={w}\n")).collect();
            let given: Vec<_> = rows
                .iter()
                .flat_map(|(major, minor, r, w)| [((*major, *minor), "rbytes", *r), ((*major, *minor), "wbytes", *w)])
                .collect();
            prop_assert_eq!(v2(&text).unwrap(), given);
        }
    }
}
