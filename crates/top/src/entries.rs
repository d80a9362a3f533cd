//! The rows of a pane: entities at a moment, sorted, filtered, and groups as a tree.

use pagetide_core::{Recording, Stamp, Unit, printable};
use pagetide_view::show::{self, Heading, Topic};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// A disk, zone, process or group at a moment.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    /// Its name for people, which a terminal may be given.
    pub(crate) name: String,
    /// A group's path, escaped for a terminal.
    pub(crate) path: String,
    /// A word for each heading of words of the topic, which a terminal may be given.
    pub(crate) words: Vec<String>,
    /// A value for each heading of the topic; absent where it is not known.
    pub(crate) cells: Vec<Option<f64>>,
}

/// An entry and its place in the tree.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row {
    pub(crate) entry: Entry,
    /// Levels above it that are shown.
    pub(crate) depth: usize,
    /// What is shown of its name: without the part that its parent has.
    pub(crate) label: String,
    /// How many entries it hides, when it is folded.
    pub(crate) hidden: usize,
}

/// How the rows of a pane are chosen and ordered.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Order {
    /// The column by which they are sorted; by name when absent.
    pub(crate) column: Option<usize>,
    /// The smallest first.
    pub(crate) ascending: bool,
    /// Only names with this text.
    pub(crate) filter: String,
    /// Paths of groups whose members are hidden.
    pub(crate) folded: BTreeSet<String>,
    /// Only this group and what is below it.
    pub(crate) zoom: Option<String>,
}

/// The columns of a topic: those of `show`, with sizes in bytes where these are in pages. Rates of pages are rates of pages in both.
pub(crate) fn headings(topic: Topic) -> Vec<Heading> {
    let in_bytes = |unit| if unit == Unit::Pages { Unit::Bytes } else { unit };
    show::headings(topic, true).map(|heading| Heading { unit: in_bytes(heading.unit), ..heading }).collect()
}

/// The entries of a topic over the interval that ends with a sample.
pub(crate) fn at(recording: &Recording, topic: Topic, stamp: Stamp) -> Vec<Entry> {
    let shown = show::show(recording, topic, true, (stamp.wall_ns, stamp.wall_ns), None);
    let page = recording.manifest.page_size.as_f64();
    let factor = |unit| if unit == Unit::Pages { page } else { 1.0 };
    let factors: Vec<f64> = shown.headings().map(|heading| factor(heading.unit)).collect();
    let entry = |row: show::Row<'_>| Entry {
        name: printable(row.entity.unwrap_or_default()).into_owned(),
        path: printable(row.name).into_owned(),
        words: row.words.iter().map(|word| word.clone().unwrap_or_else(|| "-".to_owned())).collect(),
        cells: row.cells.iter().zip(&factors).map(|(cell, factor)| cell.map(|cell| cell * factor)).collect(),
    };
    shown.rows().map(entry).collect()
}

impl Order {
    /// The rows to show. Groups are a tree, unless names are filtered.
    pub(crate) fn rows(&self, entries: &[&Entry], tree: bool) -> Vec<Row> {
        let within = |path: &str| self.zoom.as_ref().is_none_or(|zoom| is_below(path, zoom) || path == zoom);
        let wanted = |entry: &&Entry| entry.name.contains(&self.filter) && within(&entry.path);
        let mut entries: Vec<&Entry> = entries.iter().copied().filter(wanted).collect();
        entries.sort_by(|one, other| self.compare(one, other));
        if tree && self.filter.is_empty() {
            return self.tree(&entries);
        }
        let row = |entry: &Entry| Row { entry: entry.clone(), depth: 0, label: entry.name.clone(), hidden: 0 };
        entries.into_iter().map(row).collect()
    }

    /// Largest first, those without a value last; equals by name.
    fn compare(&self, one: &Entry, other: &Entry) -> Ordering {
        let by_name = || one.name.cmp(&other.name);
        let Some(column) = self.column else {
            return if self.ascending { by_name().reverse() } else { by_name() };
        };
        let value = |entry: &Entry| entry.cells.get(column).copied().flatten();
        let by_value = match (value(one), value(other)) {
            (Some(one), Some(other)) if self.ascending => one.total_cmp(&other),
            (Some(one), Some(other)) => other.total_cmp(&one),
            (one, other) => other.is_some().cmp(&one.is_some()),
        };
        by_value.then_with(by_name)
    }

    fn tree(&self, sorted: &[&Entry]) -> Vec<Row> {
        let paths: BTreeSet<&str> = sorted.iter().map(|entry| entry.path.as_str()).collect();
        let mut children: BTreeMap<&str, Vec<&Entry>> = BTreeMap::new();
        for entry in sorted {
            children.entry(parent(&entry.path, &paths)).or_default().push(entry);
        }
        let mut rows = Vec::new();
        // A stack and not a recursion: another user may nest groups deeply.
        let mut waiting: Vec<(&Entry, usize, &str)> = Vec::new();
        let below = |path: &str| children.get(path).map_or(&[][..], Vec::as_slice);
        waiting.extend(below("").iter().rev().map(|entry| (*entry, 0, "")));
        while let Some((entry, depth, above)) = waiting.pop() {
            let members = below(&entry.path);
            let folded = self.folded.contains(&entry.path) && !members.is_empty();
            // A container has a name, other groups are called by their path.
            let container = entry.name.strip_suffix(&format!(" ({})", entry.path));
            let label = container.or(entry.path.strip_prefix(above).filter(|label| !label.is_empty()));
            rows.push(Row {
                entry: entry.clone(),
                depth,
                label: label.unwrap_or(&entry.path).to_owned(),
                hidden: if folded { paths.iter().filter(|path| is_below(path, &entry.path)).count() } else { 0 },
            });
            if !folded {
                waiting.extend(members.iter().rev().map(|member| (*member, depth + 1, entry.path.as_str())));
            }
        }
        rows
    }
}

/// Whether a group lies below another one.
fn is_below(name: &str, group: &str) -> bool {
    let group = group.trim_end_matches('/');
    name.len() > group.len() + 1 && name.strip_prefix(group).is_some_and(|rest| rest.starts_with('/'))
}

/// The nearest group above one that is there, `""` when there is none.
fn parent<'a>(name: &str, names: &BTreeSet<&'a str>) -> &'a str {
    let mut above = name;
    while let Some((before, _)) = above.rsplit_once('/') {
        let candidate = if before.is_empty() && name != "/" { "/" } else { before };
        if let Some(found) = names.get(candidate) {
            return found;
        }
        above = before;
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(name: &str, value: Option<f64>) -> Entry {
        Entry { name: name.to_owned(), path: name.to_owned(), words: Vec::new(), cells: vec![value] }
    }

    fn order() -> Order {
        Order { column: Some(0), ascending: false, filter: String::new(), folded: BTreeSet::new(), zoom: None }
    }

    fn all(entries: &[Entry]) -> Vec<&Entry> {
        entries.iter().collect()
    }

    fn names(rows: &[Row]) -> Vec<String> {
        rows.iter().map(|row| format!("{}{}", " ".repeat(row.depth), row.label)).collect()
    }

    #[test]
    fn rows_are_sorted_with_the_unknown_last() {
        let entries = [entry("a", None), entry("b", Some(1.0)), entry("c", Some(2.0)), entry("d", Some(1.0))];
        assert_eq!(names(&order().rows(&all(&entries), false)), ["c", "b", "d", "a"]);
        assert_eq!(names(&Order { ascending: true, ..order() }.rows(&all(&entries), false)), ["b", "d", "c", "a"]);
        assert_eq!(names(&Order { column: None, ..order() }.rows(&all(&entries), false)), ["a", "b", "c", "d"]);
        assert_eq!(names(&Order { filter: "d".into(), ..order() }.rows(&all(&entries), true)), ["d"]);
    }

    #[test]
    fn groups_are_a_tree_whose_siblings_are_sorted() {
        let entries = [
            entry("/a", Some(1.0)),
            entry("/a/x", Some(0.5)),
            entry("/a/y", Some(0.7)),
            entry("/b", Some(9.0)),
            entry("/b/c/d", Some(3.0)),
            entry("/ab", Some(0.1)),
        ];
        assert_eq!(names(&order().rows(&all(&entries), true)), ["/b", " /c/d", "/a", " /y", " /x", "/ab"]);
        let folded = Order { folded: BTreeSet::from(["/a".to_owned()]), ..order() }.rows(&all(&entries), true);
        assert_eq!(names(&folded), ["/b", " /c/d", "/a", "/ab"]);
        assert_eq!(folded.iter().map(|row| row.hidden).collect::<Vec<_>>(), [0, 0, 2, 0]);
        assert_eq!(
            names(&Order { zoom: Some("/a".into()), ..order() }.rows(&all(&entries), true)),
            ["/a", " /y", " /x"]
        );
        let root = [entry("/", Some(9.0)), entry("/a", Some(1.0)), entry("/a/b", Some(1.0))];
        assert_eq!(names(&order().rows(&all(&root), true)), ["/", " a", "  /b"]);
        let container = Entry { name: "shop (/a/x)".into(), ..entry("/a/x", Some(0.5)) };
        assert_eq!(names(&order().rows(&all(&[entry("/a", Some(1.0)), container]), true)), ["/a", " shop"]);
        let deep: Vec<Entry> = (1..5000).map(|depth| entry(&"/g".repeat(depth), Some(1.0))).take(300).collect();
        assert_eq!(order().rows(&all(&deep), true).len(), 300);
    }
}
