//! Amounts as bars, each with a part of it marked, as an SVG picture.

use crate::html::escaped;
use crate::html::path::number;
use crate::measure::Measure;
use std::fmt::Write;

/// One bar.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// What it is of.
    pub name: String,
    /// Its length.
    pub whole: f64,
    /// The part of it that is marked, from its beginning.
    pub part: f64,
}

/// What bars are of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Legend<'a> {
    /// The heading.
    pub title: &'a str,
    /// What a bar is.
    pub whole: &'a str,
    /// What its marked part is.
    pub part: &'a str,
    /// What the numbers are.
    pub measure: Measure,
}

const WIDTH: f64 = 900.0;
const LEFT: f64 = 420.0;
const RIGHT: f64 = 190.0;
const TOP: f64 = 46.0;
const ROW: f64 = 22.0;
/// Letters of a name that fit beside its bar.
const NAME: usize = 62;

const STYLE: &str = "text{font:12px system-ui,sans-serif;fill:#333}.t{font-weight:600;font-size:13px}.w{fill:#9ec9e2}.p{fill:#d55e00}\
                     @media(prefers-color-scheme:dark){text{fill:#ccc}.w{fill:#2c5d7c}.p{fill:#f08446}}";

/// Draws the bars, one below the other, each with its name and numbers.
pub fn bars(bars: &[Bar], legend: &Legend<'_>) -> String {
    let most = bars.iter().map(|bar| bar.whole).fold(0.0, f64::max);
    let height = TOP + ROW * bars.len() as f64 + 8.0;
    let length = |value: f64| if most > 0.0 { (value / most).clamp(0.0, 1.0) * (WIDTH - LEFT - RIGHT) } else { 0.0 };
    let title = escaped(legend.title);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {0}\" width=\"{WIDTH}\" height=\"{0}\" role=\"img\">\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n<text class=\"t\" x=\"0\" y=\"16\">{title}</text>\n\
         <rect class=\"w\" x=\"0\" y=\"25\" width=\"12\" height=\"12\"/><text x=\"18\" y=\"35\">{1}</text>\n\
         <rect class=\"p\" x=\"160\" y=\"25\" width=\"12\" height=\"12\"/><text x=\"178\" y=\"35\">{2}</text>\n",
        number(height),
        escaped(legend.whole),
        escaped(legend.part)
    );
    for (row, bar) in bars.iter().enumerate() {
        let top = TOP + ROW * row as f64;
        let show = |value| legend.measure.show(value);
        let numbers = format!("{}, {}", show(bar.whole), show(bar.part));
        // Writing to a string does not fail.
        let _ = writeln!(
            out,
            "<text x=\"{0}\" y=\"{1}\" text-anchor=\"end\">{2}<title>{3}</title></text>\
             <rect class=\"w\" x=\"{LEFT}\" y=\"{4}\" width=\"{5}\" height=\"14\"/>\
             <rect class=\"p\" x=\"{LEFT}\" y=\"{4}\" width=\"{6}\" height=\"14\"/>\
             <text x=\"{7}\" y=\"{1}\">{8}</text>",
            number(LEFT - 8.0),
            number(top + 15.0),
            escaped(&shortened(&bar.name)),
            escaped(&bar.name),
            number(top + 4.0),
            number(length(bar.whole)),
            number(length(bar.part.min(bar.whole))),
            number(LEFT + length(bar.whole) + 8.0),
            escaped(&numbers)
        );
    }
    out + "</svg>\n"
}

/// A name that fits: its beginning and its end.
fn shortened(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    if letters.len() <= NAME {
        return name.to_owned();
    }
    let (head, tail) = (&letters[..NAME / 2], &letters[letters.len() - NAME / 2 + 1..]);
    head.iter().chain(&['…']).chain(tail).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEGEND: Legend<'_> =
        Legend { title: "Evictions", whole: "evicted", part: "read again", measure: Measure::Bytes };

    #[test]
    fn names_mean_nothing_to_the_browser_and_bars_stay_inside() {
        let row = |name: &str, whole, part| Bar { name: name.to_owned(), whole, part };
        let svg = bars(&[row("<script>x", 2e9, 3e9), row(&"a".repeat(300), 1e9, 0.0)], &LEGEND);
        assert!(!svg.contains("<script>") && svg.contains("&lt;script&gt;"), "{svg}");
        assert!(svg.contains('…'));
        let widths = svg.split("width=\"").skip(1).filter_map(|rest| rest.split('"').next()?.parse::<f64>().ok());
        assert!(widths.into_iter().all(|width| width <= WIDTH));
    }

    #[test]
    fn nothing_is_drawn_of_nothing() {
        assert!(bars(&[], &LEGEND).ends_with("</svg>\n"));
        assert!(!bars(&[Bar { name: "x".into(), whole: 0.0, part: 0.0 }], &LEGEND).contains("NaN"));
    }
}
