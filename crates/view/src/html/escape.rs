//! Text of others in a page: it is shown as it is and means nothing to the browser.

use pagetide_core::push_printable;

/// The text for element content and for attribute values in quotes.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(c),
            c => push_printable(&mut out, c),
        }
    }
    out
}

/// JSON for a script element: nothing in it can end the element, and it is the same JSON.
pub(super) fn json(text: &str) -> String {
    text.replace('&', "\\u0026").replace('<', "\\u003c").replace('>', "\\u003e")
}
