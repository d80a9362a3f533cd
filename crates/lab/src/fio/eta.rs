//! fio's own progress lines (`eta.c: display_thread_status` of fio).

use pagetide_core::Nanos;

/// How far fio says it is.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Eta {
    /// Part of the work that is done, 0 to 1.
    pub fraction: Option<f64>,
    /// Time it still needs.
    pub left: Option<Nanos>,
    /// The rate now, in a few words: `20.1MiB/s, 2573 IOPS`.
    pub rate: String,
}

/// Reads a line such as `Jobs: 1 (f=1): [r(1)][45.0%][r=20.1MiB/s][r=2573 IOPS][eta 00m:50s]`; none when it is another line.
pub fn parse_eta(line: &str) -> Option<Eta> {
    if !line.starts_with("Jobs: ") {
        return None;
    }
    let mut eta = Eta::default();
    let mut rates = Vec::new();
    for part in line.split('[').skip(1).filter_map(|part| part.split_once(']')).map(|(part, _)| part) {
        if let Some(percent) = part.strip_suffix('%') {
            eta.fraction = percent.parse::<f64>().ok().map(|percent| (percent / 100.0).clamp(0.0, 1.0));
        } else if let Some(time) = part.strip_prefix("eta ") {
            eta.left = parse_time(time);
        } else if part.contains('=') {
            rates.push(part);
        }
    }
    // One direction needs no letter in front of its rate.
    let mixed = rates.iter().any(|rate| rate.contains(','));
    let plain =
        |rate: &&str| rate.split_once('=').map_or(*rate, |(_, number)| if mixed { rate } else { number }).to_owned();
    eta.rate = rates.iter().map(plain).collect::<Vec<_>>().join(", ");
    Some(eta)
}

/// Reads `01d:02h:03m:04s`, of which the front may be missing.
fn parse_time(text: &str) -> Option<Nanos> {
    let mut seconds: u64 = 0;
    for part in text.split(':') {
        let unit = match part.chars().last()? {
            's' => 1,
            'm' => 60,
            'h' => 3600,
            'd' => 86_400,
            _ => return None,
        };
        let number: u64 = part[..part.len() - 1].parse().ok()?;
        seconds = seconds.checked_add(number.checked_mul(unit)?)?;
    }
    seconds.checked_mul(1_000_000_000).map(Nanos::new)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SAID: &str = include_str!("../../../../fixtures/fio/eta.txt");

    #[test]
    fn lines_that_fio_wrote_are_read() {
        let etas: Vec<Eta> = SAID.split(['\r', '\n']).filter_map(parse_eta).collect();
        let full: Vec<&Eta> = etas.iter().filter(|eta| eta.fraction.is_some()).collect();
        assert_eq!(full[0].fraction, Some(0.75));
        assert_eq!(full[0].left, Some(Nanos::new(1_000_000_000)));
        assert_eq!(full[0].rate, "15.6MiB/s, 2002 IOPS");
        assert_eq!(full[1].fraction, Some(1.0));
        assert_eq!(etas[0], Eta::default(), "the first line knows nothing yet");
    }

    #[test]
    fn long_and_unknown_times_are_read() {
        let line = "Jobs: 2 (f=2): [m(2)][0.5%][r=1.2MiB/s,w=3.4MiB/s][r=150,w=430 IOPS][eta 1d:02h:00m:01s]";
        let eta = parse_eta(line).unwrap();
        assert_eq!(eta.left, Some(Nanos::new(93_601_000_000_000)));
        assert_eq!(eta.rate, "r=1.2MiB/s,w=3.4MiB/s, r=150,w=430 IOPS");
        let eta = parse_eta("Jobs: 1 (f=1): [R(1)][-.-%][r=0KiB/s][eta --]").unwrap();
        assert_eq!((eta.fraction, eta.left), (None, None));
    }

    proptest! {
        #[test]
        fn any_line_is_read_or_left(line in "(Jobs: )?[\\[\\]0-9.%=eta:smhdrw /-]{0,60}") {
            if let Some(Eta { fraction: Some(fraction), .. }) = parse_eta(&line) {
                prop_assert!((0.0..=1.0).contains(&fraction));
            }
        }
    }
}
