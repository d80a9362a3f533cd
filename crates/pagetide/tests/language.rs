//! Text and names avoid the expressions of `tools/banned-expressions`.

use regex::{Captures, Regex, RegexBuilder, RegexSet, RegexSetBuilder};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// A banned expression.
struct Banned {
    pattern: Regex,
    instead: String,
}

/// Several of them. All are looked for at once; where one is found it is looked for by itself.
struct List {
    all: RegexSet,
    banned: Vec<Banned>,
}

/// The expressions of one kind, `text` or `name`.
fn banned(kind: &str) -> List {
    let list = std::fs::read_to_string(root().join("tools/banned-expressions")).unwrap();
    let lines = list.lines().filter_map(|line| line.strip_prefix(kind)?.trim_start().split_once(" => "));
    let banned: Vec<Banned> = lines
        .map(|(pattern, instead)| Banned {
            pattern: RegexBuilder::new(pattern).case_insensitive(true).build().unwrap(),
            instead: instead.to_owned(),
        })
        .collect();
    let mut all = RegexSetBuilder::new(banned.iter().map(|banned| banned.pattern.as_str()));
    all.case_insensitive(true).size_limit(64 << 20).dfa_size_limit(64 << 20);
    List { all: all.build().unwrap(), banned }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The files below a folder with one of the endings, without build output.
fn files(folder: &Path, endings: &[&str], found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            let is_output = ["target", ".git", "fixtures", "snapshots", "node_modules"].contains(&name.as_str());
            // A link leads to a folder of this tree, and the built page has others' sources.
            if !is_output && !path.is_symlink() && !path.ends_with("serve/page") {
                files(&path, endings, found);
            }
        } else if endings.iter().any(|ending| name.ends_with(ending)) {
            found.push(path);
        }
    }
}

/// A piece of a source and the line it begins on.
type Piece<'a> = (usize, &'a str);

/// Comments, strings and characters of Rust source.
static TOKEN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r##"(?x) (?P<doc> //[/!][^\n]*) | //[^\n]* | (?s:/\*.*?\*/)
        | (?P<raw> r\#+"(?s:.*?)"\#+) | (?P<text> "(?s:\\.|[^"\\])*") | '(?:\\.[^']*|[^'\\])' "##,
    )
    .unwrap()
});

/// Rust source without the tests at its end.
fn before_tests(source: &str) -> &str {
    source.split("\n#[cfg(test)]\nmod ").next().unwrap_or_default()
}

/// The string literals of Rust source before its tests, and its doc comments, each with its line.
fn split(source: &str) -> (Vec<Piece<'_>>, Vec<Piece<'_>>) {
    let source = before_tests(source);
    let (mut literals, mut docs) = (Vec::new(), Vec::new());
    let (mut line, mut counted) = (1, 0);
    for found in TOKEN.captures_iter(source) {
        let whole = found.get(0).unwrap();
        line += source[counted..whole.start()].matches('\n').count();
        counted = whole.start();
        if let Some(literal) = found.name("raw").or_else(|| found.name("text")) {
            literals.push((line, literal.as_str()));
        } else if let Some(doc) = found.name("doc") {
            docs.push((line, doc.as_str()));
        }
    }
    (literals, docs)
}

/// The code of Rust source, without comments, strings and characters, line by line as before.
fn code(source: &str) -> String {
    let blank = |found: &Captures<'_>| "\n".repeat(found[0].matches('\n').count()) + " ";
    TOKEN.replace_all(source, blank).into_owned()
}

/// The words of a name: `MOST_HASHED`, `MostHashed` and `most_hashed` are `most hashed`.
fn words(name: &str) -> String {
    static BORDER: LazyLock<Regex> = LazyLock::new(|| Regex::new("([a-z0-9])([A-Z])").unwrap());
    BORDER.replace_all(name, "$1 $2").replace('_', " ").to_lowercase()
}

/// Adds a line to `report` for each banned expression in a piece of text.
fn check(list: &List, path: &str, (line, text): Piece<'_>, report: &mut String) {
    for at in list.all.matches(text) {
        let Banned { pattern, instead } = &list.banned[at];
        for found in pattern.find_iter(text) {
            let line = line + text[..found.start()].matches('\n').count();
            writeln!(report, "{path}:{line}: `{}`; write: {instead}", found.as_str().trim()).unwrap();
        }
    }
}

#[test]
fn text_and_names_avoid_banned_expressions() {
    let root = root();
    let (text, names) = (banned("text"), banned("name"));
    let defined = Regex::new(r"\b(?:struct|enum|trait|type|mod|const|static)\s+(\w+)").unwrap();
    let identifier = Regex::new(r"\b[A-Za-z_]\w*\b").unwrap();
    let mut report = String::new();
    // Each name once, where it stands first.
    let mut identifiers: BTreeMap<String, (String, usize)> = BTreeMap::new();
    let mut paths = Vec::new();
    files(&root, &[".rs", ".md", ".toml", ".js", "Makefile", ".mk"], &mut paths);
    assert!(paths.len() > 300, "the tree is somewhere else");
    for path in paths {
        let short = path.strip_prefix(&root).unwrap().to_string_lossy().into_owned();
        if short.ends_with("tests/language.rs") {
            continue;
        }
        let source = std::fs::read_to_string(&path).unwrap();
        if !short.ends_with(".rs") {
            check(&text, &short, (1, &source), &mut report);
            continue;
        }
        // The names and texts of tests fail no build.
        if !short.contains("/src/") && !short.contains("/fuzz/") {
            continue;
        }
        let (literals, docs) = split(&source);
        // Help is made of the doc comments of the binary's commands.
        let help = if short.starts_with("crates/pagetide/src") { docs } else { Vec::new() };
        for piece in literals.into_iter().chain(help) {
            check(&text, &short, piece, &mut report);
        }
        for (line, code) in (1..).zip(code(before_tests(&source)).lines()) {
            let all = identifier.find_iter(code).map(|name| name.as_str().to_owned());
            identifiers.extend(
                all.filter(|name| !identifiers.contains_key(name))
                    .map(|name| (name, (short.clone(), line)))
                    .collect::<Vec<_>>(),
            );
            for definition in defined.captures_iter(code) {
                check(&names, &short, (line, &definition[1]), &mut report);
            }
        }
    }
    for (name, (file, line)) in &identifiers {
        check(&text, file, (*line, &words(name)), &mut report);
    }
    assert!(report.is_empty(), "{} banned expressions:\n{report}", report.lines().count());
}

#[test]
fn literals_and_docs_are_separated_from_code() {
    let source = "/// Help.\nlet a = \"one \\\" two\"; // \"not\"\nlet b = r#\"th\"ree\"#; let c = '\"'; let d = 'x';\n/* \"no\" */ \"four\"\n#[cfg(test)]\nmod tests { \"five\" }";
    let (literals, docs) = split(source);
    assert_eq!(literals, [(2, "\"one \\\" two\""), (3, "r#\"th\"ree\"#"), (4, "\"four\"")]);
    assert_eq!(docs, [(1, "/// Help.")]);
}

#[test]
fn banned_expressions_are_found() {
    let (text, names) = (banned("text"), banned("name"));
    assert!(!text.banned.is_empty() && !names.banned.is_empty());
    let found = |banned: &List, sample: &str| {
        let mut report = String::new();
        check(banned, "x", (1, sample), &mut report);
        report.lines().count()
    };
    assert_eq!(found(&text, "Mend it: the writer sleeps for a part of the time"), 2);
    assert_eq!(found(&text, "Reads were 25 % slower than usual."), 1);
    assert_eq!(found(&text, "Recommended: swap is on vdb, and the load goes on until it is stopped."), 0);
    assert_eq!(found(&names, "struct Teller"), 1);
    assert_eq!(found(&names, "struct TellerOfTales"), 0);
    assert_eq!([found(&names, "MOST"), found(&names, "MOST_CLIENTS")], [1, 0]);
    assert_eq!(
        [found(&text, &words("MEND")), found(&text, &words("MendedParts")), found(&text, &words("recommended"))],
        [1, 1, 0]
    );
    assert_eq!(code("let MEND = \"mend\"; // mend\nx"), "let MEND =  ;  \nx");
}
