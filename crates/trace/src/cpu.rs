//! The CPUs of the host.

use std::io;

/// The numbers of the CPUs that run.
pub(crate) fn online() -> io::Result<Vec<u32>> {
    read("online")
}

/// How many CPUs there may ever be.
pub(crate) fn possible() -> io::Result<u32> {
    let last = read("possible")?.last().copied().ok_or(io::ErrorKind::InvalidData)?;
    Ok(last + 1)
}

fn read(name: &str) -> io::Result<Vec<u32>> {
    let text = std::fs::read_to_string(format!("/sys/devices/system/cpu/{name}"))?;
    parse(text.trim()).filter(|cpus| !cpus.is_empty()).ok_or_else(|| io::ErrorKind::InvalidData.into())
}

/// Parses a list of CPUs: `0-3,8,10-11`.
fn parse(text: &str) -> Option<Vec<u32>> {
    let mut cpus = Vec::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        cpus.extend(u32::from(first.parse::<u16>().ok()?)..=u32::from(last.parse::<u16>().ok()?));
    }
    Some(cpus)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_cpus_are_parsed() {
        assert_eq!(parse("0-1"), Some(vec![0, 1]));
        assert_eq!(parse("0,2-4,9"), Some(vec![0, 2, 3, 4, 9]));
        assert_eq!(parse("0-"), None);
        assert_eq!(parse("0-99999"), None);
    }
}
