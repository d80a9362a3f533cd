//! How often causes of each grade were right: the rates beside the grades are observed, not judged.

use pagetide_core::{Grade, HitRate};

/// A line for each recording of real programs, written when the rules saw it first: from then on it is for development. The rules that
/// are shipped have changed since, so the rate tells how such rules do on what nobody has seen.
const OPENINGS: &str = include_str!("observed.tsv");

/// The observations of a grade; none before a cause of it was reported.
pub fn observed(grade: Grade) -> HitRate {
    let rows = OPENINGS.lines().filter_map(row).filter(|(of, _)| *of == grade);
    rows.fold(HitRate::default(), |sum, (_, right)| HitRate { right: sum.right + u32::from(right), of: sum.of + 1 })
}

/// The grade of a line, and whether the cause was right; absent of the heading, and where no cause was reported.
fn row(line: &str) -> Option<(Grade, bool)> {
    let cells: Vec<&str> = line.split('\t').collect();
    let [_, _, _, _, grade, right] = cells.as_slice() else { return None };
    Some((Grade::ALL.into_iter().find(|known| known.name() == *grade)?, *right == "yes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_read_or_has_no_cause() {
        let mut lines = OPENINGS.lines();
        assert_eq!(lines.next(), Some("opened\trecording\ttrue\treported\tgrade\tright"));
        for line in lines {
            let cells: Vec<&str> = line.split('\t').collect();
            assert_eq!(cells.len(), 6, "{line}");
            assert!(row(line).is_some() || (cells[3], cells[4]) == ("cannot tell", "-"), "{line}");
            assert!(["yes", "no"].contains(&cells[5]), "{line}");
        }
    }

    #[test]
    fn grades_that_were_observed_have_their_counts() {
        let all: u32 = Grade::ALL.map(|grade| observed(grade).of).iter().sum();
        assert_eq!(all as usize, OPENINGS.lines().filter(|line| row(line).is_some()).count());
    }
}
