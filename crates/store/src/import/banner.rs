//! The line with which sysstat's tools begin: `Linux 2.6.32-504.el6.x86_64 (host)  09/10/2016  _x86_64_  (24 CPU)`.

use super::clock::{Date, DateOrder, printed_date};
use super::gather::Gather;
use pagetide_core::Error;

/// What a banner says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Banner {
    pub(super) kernel: String,
    pub(super) host: String,
    /// The date as printed; whether day or month comes first may depend on the lines that follow.
    pub(super) date: String,
    pub(super) machine: Option<String>,
    pub(super) cpus: Option<u32>,
}

impl Banner {
    /// Parses a banner, with tabs or with the blanks that copy and paste leaves of them.
    pub(super) fn parse(line: &str) -> Option<Self> {
        let rest = line.strip_prefix("Linux ")?;
        let (kernel, rest) = rest.split_once('(')?;
        let (host, rest) = rest.split_once(')')?;
        let (rest, cpus) = match rest.rsplit_once('(') {
            Some((before, count)) => (before, count.split_whitespace().next().and_then(|count| count.parse().ok())),
            None => (rest, None),
        };
        let (date, machine) = match rest.trim_end().rsplit_once(char::is_whitespace) {
            Some((date, machine)) if machine.starts_with('_') && machine.ends_with('_') && machine.len() > 2 => {
                (date, Some(machine.trim_matches('_').to_owned()))
            }
            _ => (rest, None),
        };
        let kernel = kernel.trim().to_owned();
        Some(Self { kernel, host: host.to_owned(), date: date.trim().to_owned(), machine, cpus })
    }

    /// Notes what it says about the host. A recording holds one host.
    pub(super) fn note_host(&self, gather: &mut Gather) -> Result<(), Error> {
        one_host(gather, &self.host)?;
        let facts = &mut gather.facts;
        facts.kernel = Some(self.kernel.clone());
        facts.cpus = self.cpus.or(facts.cpus);
        facts.small_pages |= self.machine.as_deref().is_some_and(has_small_pages);
        Ok(())
    }

    /// Its date, with a note if the order of day and month is a guess.
    pub(super) fn date(&self, gather: &mut Gather, twelve_hours: bool, order: Option<DateOrder>) -> Option<Date> {
        let Some(found) = printed_date(&self.date, twelve_hours, order) else {
            gather.report.note(format!("cannot read `{}` as a date", self.date));
            return None;
        };
        if found.ambiguous {
            let text =
                format!("the date {} is read as {} (the order of day and month is a guess)", self.date, found.date);
            gather.report.note(text);
        }
        Some(found.date)
    }
}

/// Notes the host's name, unless another one is known already.
pub(super) fn one_host(gather: &mut Gather, host: &str) -> Result<(), Error> {
    match &gather.facts.host {
        Some(known) if known != host => Err(Error::input(
            format!("{}: contains two hosts, {known} and {host}", gather.report.name),
            "a recording holds one host: split the file and import the parts separately",
        )),
        _ => {
            gather.facts.host = Some(host.to_owned());
            Ok(())
        }
    }
}

/// Whether machines of this kind have pages of 4 KiB and no other.
pub(super) fn has_small_pages(machine: &str) -> bool {
    matches!(machine, "x86_64" | "i386" | "i486" | "i586" | "i686" | "s390x")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn banners_are_read_with_and_without_tabs() {
        let check = |line: &str, date: &str, machine: Option<&str>, cpus| {
            let banner = Banner::parse(line).unwrap();
            assert_eq!((banner.date.as_str(), banner.machine.as_deref(), banner.cpus), (date, machine, cpus), "{line}");
        };
        check("Linux 6.18 (vm) \t11/21/26 \t_x86_64_\t(2 CPU)", "11/21/26", Some("x86_64"), Some(2));
        check(
            "Linux 2.6.32-504.el6.x86_64 (h)  09/10/2016  _x86_64_  (24 CPU)",
            "09/10/2016",
            Some("x86_64"),
            Some(24),
        );
        check("Linux 2.6.9 (h) \t09/10/2016", "09/10/2016", None, None);
        check("Linux 6.18 (vm) \t21 نوف, 2026 \t_aarch64_\t(2 CPU)", "21 نوف, 2026", Some("aarch64"), Some(2));
        for bad in ["Linux", "Linux x", "linux 6 (h) 1/1/26", "Linux 6 (h"] {
            assert_eq!(Banner::parse(bad), None, "{bad}");
        }
    }
}
