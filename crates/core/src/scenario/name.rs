//! Names that a scenario gives. They become names of files, folders and control groups, so none may lead elsewhere.

use crate::Error;
use crate::{SETTINGS, is_sysctl_name, setting};

/// Whether `text` can be the name of a scenario, disk, file or control group: no path, nothing hidden, nothing to escape.
pub(super) fn is_plain(text: &str) -> bool {
    text.len() <= 100
        && text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
}

/// The longest name that is made of a text that another user chose.
const LONGEST_MADE: usize = 40;

/// A name of a part, of a text that another user chose, such as a command's: letters, digits and _.
pub fn part_name(text: &str) -> String {
    let kept: String =
        text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).take(LONGEST_MADE).collect();
    if kept.starts_with(|c: char| c.is_ascii_alphabetic()) { kept } else { format!("p_{kept}") }
}

/// A name of a disk or a control group, of a text that another user chose: letters, digits, - and _.
pub fn plain_name(text: &str) -> String {
    let keep = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    let kept: String = text.chars().map(keep).take(LONGEST_MADE).collect();
    if kept.starts_with(|c: char| c.is_ascii_alphanumeric()) { kept } else { format!("d{kept}") }
}

/// Checks the name of `what`.
pub(super) fn plain(text: &str, what: &str, place: &str) -> Result<(), Error> {
    let rule = "use a letter or a digit, then letters, digits, - and _";
    check(is_plain(text), text, what, place, rule)
}

/// Checks the name of a step or a part, which claims use in expressions.
pub(super) fn word(text: &str, what: &str, place: &str) -> Result<(), Error> {
    let fits = is_plain(text)
        && text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    check(fits, text, what, place, "use a letter, then letters, digits and _")
}

/// Checks names of kernel settings.
pub(super) fn sysctls<'a>(names: impl IntoIterator<Item = &'a String>, place: &str) -> Result<(), Error> {
    names.into_iter().try_for_each(|name| {
        if is_sysctl_name(name) {
            // Settings that pagetide does not know may be there all the same; one letter next to one it knows is a slip.
            let slip = SETTINGS.iter().find(|known| strsim::osa_distance(known.name, name) == 1);
            return slip.filter(|_| setting(name).is_none()).map_or(Ok(()), |known| {
                let what = format!("{place}: no kernel has the setting `{name}`; did you mean `{}`?", known.name);
                Err(Error::input(what, "`sysctl -a` prints those of this host"))
            });
        }
        let what = format!("{place}: `{}` is not the name of a kernel setting", name.escape_debug());
        Err(Error::input(what, "write it as `sysctl -a` prints it, such as vm.dirty_ratio"))
    })
}

fn check(fits: bool, text: &str, what: &str, place: &str, rule: &str) -> Result<(), Error> {
    let wrong = || Error::input(format!("{place}: `{}` cannot be the name of a {what}", text.escape_debug()), rule);
    fits.then_some(()).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scenario;

    fn scenario(id: &str, sysctl: &str, disk: &str, step: &str) -> Result<Scenario, crate::Error> {
        let [id, disk] = [id, disk].map(toml::Value::from);
        let text = format!(
            "id = {id}\ntitle = \"t\"\nsource = \"t\"\n[machine]\ncpus = 1\nmemory = \"1GiB\"\nsysctl = {{ {sysctl:?} = 1 }}\n\
             [[machine.disk]]\nname = {disk}\nsize = \"1GiB\"\n[[step]]\nid = \"A1\"\n{step}\n"
        );
        Scenario::parse(&text, "t.toml")
    }

    #[test]
    fn a_scenario_names_nothing_outside_of_its_places() {
        const SLEEP: &str = "sleep = \"1s\"";
        scenario("t", "vm.swappiness", "data", SLEEP).unwrap();
        for id in ["../../x", "/etc/x", "a/b", "", ".", "-x", "a\u{1b}[2J"] {
            let error = scenario(id, "vm.swappiness", "data", SLEEP).unwrap_err();
            assert!(
                error.what.contains("cannot be the name of a scenario") && !error.what.contains('\u{1b}'),
                "{error}"
            );
        }
        for disk in ["../x", "a b", "", "a\nb"] {
            assert!(scenario("t", "vm.swappiness", disk, SLEEP).unwrap_err().what.contains("disk"), "{disk:?}");
        }
        for name in ["/etc/hosts", "vm/swappiness", "swappiness", "vm..x"] {
            assert!(scenario("t", name, "data", SLEEP).unwrap_err().what.contains("kernel setting"), "{name}");
            let step = format!("sysctl = {{ {name:?} = 7 }}");
            assert!(scenario("t", "vm.swappiness", "data", &step).unwrap_err().what.contains("kernel setting"));
        }
        for file in ["../x", ".x", "a\nb", "a:b"] {
            let step =
                format!("fio = {{ rw = \"read\", bs = \"4k\", size = \"1MiB\", file = {} }}", toml::Value::from(file));
            assert!(scenario("t", "vm.swappiness", "data", &step).unwrap_err().what.contains("file"), "{file:?}");
        }
    }

    #[test]
    fn a_setting_with_a_slip_is_refused_and_an_unknown_one_is_not() {
        let error = scenario("t", "vm.swapiness", "data", "sleep = \"1s\"").unwrap_err();
        assert!(error.what.ends_with("did you mean `vm.swappiness`?"), "{error}");
        for known in ["vm.swappiness", "vm.overcommit_ratio", "vm.mmap_min_addr", "kernel.sched_rt_period_us"] {
            scenario("t", known, "data", "sleep = \"1s\"").unwrap();
        }
    }

    #[test]
    fn a_name_is_made_of_any_text() {
        for hostile in
            ["", "../../etc", "a\"\n[[step]]", "\u{202e}x", "-rf", "9lives", "kworker/u8:1", &"x".repeat(500)]
        {
            let (part, plain_one) = (part_name(hostile), plain_name(hostile));
            assert!(word(&part, "part", "t").is_ok(), "{hostile:?}: {part:?}");
            assert!(plain(&plain_one, "disk", "t").is_ok(), "{hostile:?}: {plain_one:?}");
        }
        assert_eq!((part_name("tar").as_str(), plain_name("my-db.slice").as_str()), ("tar", "my-db_slice"));
    }

    #[test]
    fn no_name_leads_out_of_its_folder() {
        for name in ["a", "data-2", "3_5", &"x".repeat(100)] {
            assert!(is_plain(name), "{name}");
        }
        for name in
            ["", ".", "..", "../x", "a/b", "/a", "-a", "a b", "a\n", "a:b", "x.y", "\u{1b}[2J", "é", &"x".repeat(101)]
        {
            assert!(!is_plain(name), "{name:?}");
        }
        assert!(
            word("A_1", "step", "t").is_ok() && word("A-1", "step", "t").is_err() && word("1", "step", "t").is_err()
        );
    }
}
