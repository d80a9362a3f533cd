//! The names of culprits and victims, in their colours wherever they stand as words.

use super::escaped;
use super::terms::texts;

/// The HTML with each of these names, as a whole word of a text, in an element of its class.
pub(super) fn marked(html: &str, parties: &[(&str, &Vec<String>)]) -> String {
    let names = || parties.iter().flat_map(|(class, names)| names.iter().map(move |name| (*class, escaped(name))));
    let names: Vec<(&str, String)> = names().filter(|(_, name)| !name.is_empty()).collect();
    if names.is_empty() {
        return html.to_owned();
    }
    texts(html, &["style", "script", "title", "svg", "h1", "pre"], |text, out| {
        let mut rest = text;
        while let Some((at, class, name)) = first(rest, &names) {
            out.push_str(&rest[..at]);
            out.push_str(&format!("<b class=\"{class}\">{name}</b>"));
            rest = &rest[at + name.len()..];
        }
        out.push_str(rest);
    })
}

/// The name that stands first in a text.
fn first<'a>(text: &str, names: &'a [(&str, String)]) -> Option<(usize, &'a str, &'a str)> {
    let letter = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '-' || c == ';');
    let whole = |at: usize, name: &str| {
        !letter(text[..at].chars().next_back().filter(|c| *c != ';'))
            && !letter(text[at + name.len()..].chars().next().filter(|c| *c != ';'))
    };
    let places = names.iter().filter_map(|(class, name)| {
        let at = text.match_indices(name.as_str()).map(|(at, _)| at).find(|at| whole(*at, name))?;
        Some((at, *class, name.as_str()))
    });
    places.min_by_key(|(at, _, name)| (*at, std::cmp::Reverse(name.len())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_marked_as_words_of_texts_only() {
        let (culprits, victims) = (vec!["cp".to_owned(), "<b>".to_owned()], vec!["postgres".to_owned()]);
        let parties = [("culprit", &culprits), ("victim", &victims)];
        let html = marked("<p class=\"cp\">cp (1) and postgres: cpu, &lt;b&gt;</p><title>cp</title>", &parties);
        assert_eq!(
            html,
            "<p class=\"cp\"><b class=\"culprit\">cp</b> (1) and <b class=\"victim\">postgres</b>: cpu, \
             <b class=\"culprit\">&lt;b&gt;</b></p><title>cp</title>"
        );
    }
}
