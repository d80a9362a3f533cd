//! The definition of each term where it first stands on a page: shown under the pointer and on keyboard focus.

use super::escaped;
use pagetide_core::glossary::{self, Term};

/// Elements whose text is not read as prose.
const SKIPPED: [&str; 7] = ["code", "pre", "script", "style", "svg", "a", "h1"];

/// The HTML with an `abbr` around the first occurrence of each term of the glossary.
pub(super) fn marked(html: &str) -> String {
    let mut terms: Vec<(&'static str, &'static Term)> =
        glossary::TERMS.iter().flat_map(|term| glossary::names(term).map(move |name| (name, term))).collect();
    // `dirty threshold` before `threshold`.
    terms.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
    texts(html, &SKIPPED, |text, out| prose(text, &mut terms, out))
}

/// The HTML with its texts written by `write`, except those within the elements that are skipped.
pub(super) fn texts(html: &str, skipped: &[&str], mut write: impl FnMut(&str, &mut String)) -> String {
    let mut out = String::with_capacity(html.len() + html.len() / 8);
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        write(&rest[..at], &mut out);
        rest = &rest[at..];
        let tag: String = rest[1..].chars().take_while(char::is_ascii_alphanumeric).collect();
        let end = if skipped.contains(&tag.as_str()) {
            let close = format!("</{tag}>");
            rest.find(&close).map_or(rest.len(), |at| at + close.len())
        } else {
            rest.find('>').map_or(rest.len(), |at| at + 1)
        };
        out.push_str(&rest[..end]);
        rest = &rest[end..];
    }
    write(rest, &mut out);
    out
}

/// Adds text between tags, with those terms marked that were not marked before.
fn prose(text: &str, terms: &mut Vec<(&'static str, &'static Term)>, out: &mut String) {
    let lower = text.to_ascii_lowercase();
    let mut from = 0;
    while let Some((at, name, term)) = first(&lower, from, terms) {
        let end = at + name.len();
        out.push_str(&text[from..at]);
        let (definition, word) = (escaped(term.definition), &text[at..end]);
        out.push_str(&format!("<abbr tabindex=\"0\" title=\"{definition}\">{word}</abbr>"));
        terms.retain(|(_, known)| !std::ptr::eq(*known, term));
        from = end;
    }
    out.push_str(&text[from..]);
}

/// The term that stands first in the text, whole words only.
fn first(
    lower: &str,
    from: usize,
    terms: &[(&'static str, &'static Term)],
) -> Option<(usize, &'static str, &'static Term)> {
    let letter = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '-');
    let whole = |at: usize, name: &str| {
        !letter(lower[..at].chars().next_back()) && !letter(lower[at + name.len()..].chars().next())
    };
    let place = |name: &str| {
        let name = name.to_ascii_lowercase();
        lower[from..].match_indices(&name).map(|(at, _)| from + at).find(|at| whole(*at, &name))
    };
    let places = terms.iter().filter_map(|(name, term)| Some((place(name)?, *name, *term)));
    places.min_by_key(|(at, name, _)| (*at, std::cmp::Reverse(name.len())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_term_is_defined_where_it_first_stands() {
        let html = marked("<h1>kswapd</h1><p class=\"kswapd\">Refaults: kswapd, then kswapd</p><code>slab</code>");
        assert_eq!(html.matches("<abbr").count(), 2, "{html}");
        assert!(html.contains(">Refaults</abbr>: <abbr tabindex=\"0\" title=\"The kernel thread"), "{html}");
        assert!(html.contains("<h1>kswapd</h1><p class=\"kswapd\">") && html.ends_with("<code>slab</code>"), "{html}");
        assert!(!marked("<p>unscanned dirty-threshold zoned</p>").contains("abbr"));
        assert!(marked("<p>the dirty threshold</p>").contains(">dirty threshold</abbr>"));
    }
}
