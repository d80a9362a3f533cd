//! Names in a scenario that become parts of paths: the scenario's id, disks, files, groups.

use crate::{Error, is_sysctl_name};

/// Letters, digits, `-` and `_`, beginning with a letter or a digit.
pub(super) fn is_plain(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
}

/// Refuses a name that is not plain; `what` is what it would name.
pub(super) fn check(what: &str, name: &str, place: &str) -> Result<(), Error> {
    if is_plain(name) {
        return Ok(());
    }
    let what = format!("{place}: `{}` cannot be {what}", name.escape_debug());
    Err(Error::input(what, "use a letter or a digit, then letters, digits, - and _"))
}

/// Refuses what is not the name of a setting.
pub(super) fn check_sysctls<'a>(names: impl IntoIterator<Item = &'a String>, place: &str) -> Result<(), Error> {
    names.into_iter().try_for_each(|name| {
        if is_sysctl_name(name) {
            return Ok(());
        }
        let what = format!("{place}: `{}` is not the name of a kernel setting", name.escape_debug());
        Err(Error::input(what, "write it as `sysctl -a` prints it, such as vm.dirty_ratio"))
    })
}

#[cfg(test)]
mod tests {
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
            assert!(error.what.contains("cannot be a scenario's id") && !error.what.contains('\u{1b}'), "{error}");
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
}
