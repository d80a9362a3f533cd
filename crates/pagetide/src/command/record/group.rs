//! The group that a recording is given to.

use std::str::FromStr;

/// A group's id, given as a number or as a name of `/etc/group`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Group(pub(super) u32);

impl FromStr for Group {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Ok(id) = text.parse() {
            return Ok(Self(id));
        }
        let groups = std::fs::read_to_string("/etc/group").map_err(|error| format!("/etc/group: {error}"))?;
        find(&groups, text)
            .map(Self)
            .ok_or_else(|| "no such group in /etc/group: give a name from it, or a number".into())
    }
}

/// The id of a group in the text of `/etc/group`.
fn find(groups: &str, name: &str) -> Option<u32> {
    let mut lines = groups.lines().map(|line| line.split(':'));
    lines.find_map(|mut fields| (fields.next() == Some(name)).then(|| fields.nth(1)?.parse().ok())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_is_found_by_its_whole_name() {
        let groups = "root:x:0:\nadm:x:4:syslog\nadmin:x:40:\n";
        assert_eq!((find(groups, "adm"), find(groups, "admin"), find(groups, "a")), (Some(4), Some(40), None));
        assert_eq!("17".parse(), Ok(Group(17)));
    }
}
