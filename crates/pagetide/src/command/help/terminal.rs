//! A page of the book on a terminal: tables in columns, paragraphs wrapped, links as the commands that print their pages.

use pagetide_view::text::{Style, wrap};
use pagetide_view::{Align, Column, Row, Table};
use std::fmt::Write;

/// The command that prints the page to which a link leads, if it is a page.
type CommandOf<'a> = &'a dyn Fn(&str) -> Option<String>;

/// At this width the words of a column's heading wrap.
const HEAD_WIDTH: usize = 16;
/// What is longer than this is no number.
const NUMBER_WIDTH: usize = 24;

/// Markdown as text for a terminal.
pub(super) fn text(markdown: &str, style: Style, command_of: CommandOf<'_>) -> String {
    let mut out = String::new();
    let mut lines = markdown.lines().peekable();
    while let Some(line) = lines.next() {
        let mut block = |belongs: fn(&str) -> bool| {
            let mut block = vec![line];
            block.extend(std::iter::from_fn(|| lines.next_if(|next| belongs(next))));
            block
        };
        if line.starts_with("```") {
            for code in lines.by_ref().take_while(|line| !line.starts_with("```")) {
                let _ = writeln!(out, "{}", format!("    {code}").trim_end());
            }
        } else if line.starts_with("    ") || line.starts_with('>') {
            let _ = writeln!(out, "{line}");
        } else if line.starts_with('|') {
            let table = table(&block(|next| next.starts_with('|')), command_of).to_text(style);
            out.push_str(table.trim_start_matches('\n'));
        } else if line.starts_with('#') {
            heading(line, command_of, &mut out);
        } else if line.trim().is_empty() {
            // A picture leaves no second blank line.
            if !out.is_empty() && !out.ends_with("\n\n") {
                out.push('\n');
            }
        } else if !line.starts_with("<!--") {
            let lines = block(|next| is_prose(next) && marker(next) == 0);
            prose(&lines, style.width, command_of, &mut out);
        }
    }
    out
}

/// Whether a line can continue a paragraph.
fn is_prose(line: &str) -> bool {
    !line.trim().is_empty() && !["```", "|", "#", "<!--", ">"].iter().any(|start| line.starts_with(start))
}

/// Bytes before the text of a list's item: those of `- `, `* ` or `1. ` and of the blanks before it; 0 for other lines.
fn marker(line: &str) -> usize {
    let text = line.trim_start();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let is_item = match digits {
        0 => text.starts_with("- ") || text.starts_with("* "),
        _ => text[digits..].starts_with(". "),
    };
    // What is counted is the one character of a bullet, or the digits and their full stop, and a blank.
    let length = if digits == 0 { 2 } else { digits + 2 };
    if is_item { line.len() - text.len() + length } else { 0 }
}

/// A page's title and its parts' are underlined, as those of a report are.
fn heading(line: &str, command_of: CommandOf<'_>, out: &mut String) {
    let title = line.trim_start_matches('#');
    let level = line.len() - title.len();
    let title = inline(title.trim(), command_of);
    let _ = writeln!(out, "{title}");
    if let Some(rule) = ["=", "-"].get(level - 1) {
        let _ = writeln!(out, "{}", rule.repeat(title.chars().count()));
    }
}

/// A paragraph, or an item of a list. Lines that fit, such as those of a licence, stay as they are.
fn prose(lines: &[&str], width: usize, command_of: CommandOf<'_>, out: &mut String) {
    let (mark, text) = lines[0].split_at(marker(lines[0]));
    let room = width.saturating_sub(mark.len());
    let lines: Vec<&str> = std::iter::once(text).chain(lines[1..].iter().map(|line| line.trim())).collect();
    let joined = lines.join(" ");
    let stays = !joined.contains("](") && lines.iter().all(|line| line.chars().count() <= room);
    let lines: Vec<String> = match stays {
        true => lines.iter().map(|line| inline(line, command_of)).collect(),
        false => wrap(&inline(&joined, command_of), room),
    };
    for (at, line) in lines.iter().filter(|line| !line.trim().is_empty()).enumerate() {
        let before = if at == 0 { mark.to_owned() } else { " ".repeat(mark.len()) };
        let _ = writeln!(out, "{before}{}", line.trim_end());
    }
}

/// The lines of a table: the heading, the sides of the columns, and the rows. A column on the right does not wrap: only numbers stand there.
fn table(lines: &[&str], command_of: CommandOf<'_>) -> Table {
    let mut lines = lines.iter().map(|line| cells(line));
    let (heads, sides) = (lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
    let rows: Vec<Vec<String>> = lines.map(|line| line.iter().map(|cell| inline(cell, command_of)).collect()).collect();
    let is_right = |at: usize| {
        let is_short = |row: &Vec<String>| row.get(at).is_none_or(|cell| cell.chars().count() <= NUMBER_WIDTH);
        sides.get(at).is_some_and(|side| side.ends_with(':')) && rows.iter().all(is_short)
    };
    let columns = heads.iter().enumerate().map(|(at, head)| Column {
        head: wrap(&inline(head, command_of), HEAD_WIDTH).join("\n"),
        unit: String::new(),
        align: if is_right(at) { Align::Right } else { Align::Left },
    });
    let columns = columns.collect();
    let rows = rows.into_iter().map(|row| Row::Cells(row.into_iter().map(Into::into).collect()));
    Table { columns, rows: rows.collect(), note: String::new() }
}

/// The cells of a table's line. `\|` is a bar within a cell.
fn cells(line: &str) -> Vec<String> {
    let line = line.trim().replace("\\|", "\0");
    let line = line.strip_prefix('|').unwrap_or(&line);
    let line = line.strip_suffix('|').unwrap_or(line);
    line.split('|').map(|cell| cell.trim().replace('\0', "|")).collect()
}

/// Text without pictures and `**`, with the command that prints a page in place of a link to it. Code stays as it is.
fn inline(text: &str, command_of: CommandOf<'_>) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['`', '[', '!', '*']) {
        let (before, found) = rest.split_at(at);
        out.push_str(before);
        let end_of_code = || found[1..].find('`').map_or(found.len(), |end| end + 2);
        let taken = if found.starts_with('`') {
            out.push_str(&found[..end_of_code()]);
            end_of_code()
        } else if found.starts_with("**") {
            2
        } else if let Some((_, _, length)) = found.strip_prefix('!').and_then(link) {
            length + 1
        } else if let Some((label, target, length)) = link(found) {
            let label = inline(label, command_of);
            match command_of(target) {
                Some(command) if label.ends_with(".md") => {
                    let _ = write!(out, "`{command}`");
                }
                Some(command) => {
                    let _ = write!(out, "{label} (`{command}`)");
                }
                None if target.contains("://") => {
                    let _ = write!(out, "{label} ({target})");
                }
                None => out.push_str(&label),
            }
            length
        } else {
            out.push_str(&found[..1]);
            1
        };
        rest = &found[taken..];
    }
    out + rest
}

/// The label and the target of the link with which the text begins, and its length.
fn link(text: &str) -> Option<(&str, &str, usize)> {
    let (label, rest) = text.strip_prefix('[')?.split_once("](")?;
    let (target, _) = rest.split_once(')')?;
    (!label.contains('[')).then_some((label, target, label.len() + target.len() + 4))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(markdown: &str, width: usize) -> String {
        let command_of = |target: &str| target.starts_with("RULES.md").then(|| "pagetide help rules".to_owned());
        text(markdown, Style { colour: false, width }, &command_of)
    }

    #[test]
    fn links_are_commands_and_pictures_are_left_out() {
        assert_eq!(
            shown("See [RULES.md](RULES.md), [a rule](RULES.md#x), [sar](https://s.org/) and [this](#y).\n", 100),
            "See `pagetide help rules`, a rule (`pagetide help rules`), sar (https://s.org/) and this.\n"
        );
        assert_eq!(
            shown("One.\n\n![a](b.png) ![c](d.png)\n\n**Two** `a[0](x) ** b`.\n", 100),
            "One.\n\nTwo `a[0](x) ** b`.\n"
        );
        assert_eq!(shown("Not a link: [a] (b), a * b, c!\n", 100), "Not a link: [a] (b), a * b, c!\n");
    }

    #[test]
    fn tables_stand_in_columns_and_their_words_wrap() {
        let page = "| key | is |\n|---|---:|\n| `a \\| b` | 1 |\n| some words that take a second line | 20 |\n";
        assert_eq!(
            shown(page, 32),
            "key                           is\n`a | b`                        1\nsome words that take a second 20\nline\n"
        );
    }

    #[test]
    fn only_lines_that_are_too_long_are_wrapped() {
        assert_eq!(shown("# Page\n\nshort\nlines\n", 20), "Page\n====\n\nshort\nlines\n");
        assert_eq!(
            shown("- a line that is longer\n  than that\n- b\n\n10. one two three four\n    five\n", 20),
            "- a line that is\n  longer than that\n- b\n\n10. one two three\n    four five\n"
        );
        let code = "a line of code that is longer";
        assert_eq!(shown(&format!("```sh\n{code}\n```\n\n    {code}\n"), 20), format!("    {code}\n\n    {code}\n"));
    }
}
