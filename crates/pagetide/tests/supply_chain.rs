//! What comes in from others: licences, sources and duplicates by deny.toml, dependencies that nobody uses, and the notices of what the
//! binary contains.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What cargo resolves for Linux on x86-64.
fn metadata() -> Value {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--locked", "--filter-platform=x86_64-unknown-linux-gnu"])
        .current_dir(top())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn rules() -> toml::Table {
    std::fs::read_to_string(top().join("deny.toml")).unwrap().parse().unwrap()
}

fn words<'a>(rules: &'a toml::Table, section: &str, key: &str) -> Vec<&'a str> {
    rules[section][key].as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect()
}

fn text<'a>(package: &'a Value, key: &str) -> &'a str {
    package[key].as_str().unwrap_or_default()
}

/// The packages that are not of this workspace.
fn others(metadata: &Value) -> impl Iterator<Item = &Value> {
    metadata["packages"].as_array().unwrap().iter().filter(|package| !package["source"].is_null())
}

/// Whether a licence expression (SPDX, or the slash of old manifests) can be met with these licences.
fn allowed(expression: &str, licences: &[&str]) -> bool {
    let expression = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let mut tokens = expression.split_whitespace().peekable();
    any(&mut tokens, licences)
}

type Tokens<'a> = std::iter::Peekable<std::str::SplitWhitespace<'a>>;

fn any(tokens: &mut Tokens<'_>, licences: &[&str]) -> bool {
    let mut met = all(tokens, licences);
    while tokens.next_if_eq(&"OR").is_some() {
        met |= all(tokens, licences);
    }
    met
}

fn all(tokens: &mut Tokens<'_>, licences: &[&str]) -> bool {
    let mut met = one(tokens, licences);
    while tokens.next_if_eq(&"AND").is_some() {
        met &= one(tokens, licences);
    }
    met
}

fn one(tokens: &mut Tokens<'_>, licences: &[&str]) -> bool {
    let licence = tokens.next().unwrap_or_default();
    if licence == "(" {
        let met = any(tokens, licences);
        assert_eq!(tokens.next(), Some(")"));
        return met;
    }
    // An exception permits more than the licence does.
    if tokens.next_if_eq(&"WITH").is_some() {
        tokens.next();
    }
    licences.contains(&licence.trim_end_matches('+'))
}

#[test]
fn licence_expressions_are_read_as_spdx_has_them() {
    let licences = ["MIT", "Unicode-3.0", "MPL-2.0"];
    for (expression, expected) in [
        ("MIT", true),
        ("GPL-3.0-only", false),
        ("GPL-3.0-only/MIT", true),
        ("MPL-2.0+", true),
        ("Apache-2.0 WITH LLVM-exception", false),
        ("Apache-2.0 WITH LLVM-exception OR MIT", true),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", true),
        ("MIT AND (GPL-2.0-only OR Apache-2.0)", false),
        ("", false),
    ] {
        assert_eq!(allowed(expression, &licences), expected, "{expression}");
    }
}

#[test]
fn every_crate_has_an_allowed_licence_and_comes_from_the_registry() {
    let (metadata, rules) = (metadata(), rules());
    let licences = words(&rules, "licenses", "allow");
    let registries = words(&rules, "sources", "allow-registry");
    for package in others(&metadata) {
        let name = text(package, "name");
        assert!(allowed(text(package, "license"), &licences), "{name}: {}", package["license"]);
        let source = text(package, "source").strip_prefix("registry+");
        assert!(source.is_some_and(|source| registries.contains(&source)), "{name}: {}", package["source"]);
    }
    for library in libraries() {
        let licence = library["licence"].as_str().unwrap();
        assert!(allowed(licence, &licences), "{licence}");
    }
}

#[test]
fn two_versions_of_a_crate_are_named_with_their_reason() {
    let (metadata, rules) = (metadata(), rules());
    let mut versions: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for package in others(&metadata) {
        let name = text(package, "name");
        versions.entry(name).or_default().insert(format!("{name}@{}", text(package, "version")));
    }
    let skipped: BTreeSet<String> = rules["bans"]["skip"]
        .as_array()
        .unwrap()
        .iter()
        .map(|skip| skip["crate"].as_str().unwrap().to_owned())
        .collect();
    for versions in versions.values().filter(|versions| versions.len() > 1) {
        assert!(
            versions.difference(&skipped).count() <= 1,
            "{versions:?}: skip all but one in deny.toml, with a reason"
        );
    }
    let doubled: BTreeSet<String> = versions.into_values().filter(|versions| versions.len() > 1).flatten().collect();
    let stale: Vec<_> = skipped.difference(&doubled).collect();
    assert!(stale.is_empty(), "deny.toml skips what is there only once: {stale:?}");
}

/// The Rust sources below a folder.
fn sources(folder: &Path, into: &mut String) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, into);
        } else if path.extension().is_some_and(|end| end == "rs") {
            let source = std::fs::read_to_string(&path).unwrap();
            for named in source.split("#[path = \"").skip(1).filter_map(|rest| rest.split('"').next()) {
                into.push_str(&std::fs::read_to_string(path.with_file_name(named)).unwrap());
            }
            into.push_str(&source);
        }
    }
}

/// Whether a source names a crate: the word before a path, or a `use` of it.
fn names(source: &str, name: &str) -> bool {
    source.match_indices(name).any(|(at, _)| {
        let whole = !source[..at].ends_with(|before: char| before.is_alphanumeric() || before == '_');
        let after = &source[at + name.len()..];
        whole && (after.starts_with("::") || after.starts_with(';') || after.starts_with(" as "))
    })
}

#[test]
fn every_dependency_is_used() {
    let metadata = metadata();
    let mut used_by_members = BTreeSet::new();
    for package in metadata["packages"].as_array().unwrap().iter().filter(|package| package["source"].is_null()) {
        let folder = Path::new(text(package, "manifest_path")).parent().unwrap();
        let read = |parts: &[&str]| {
            let mut text = String::new();
            parts.iter().for_each(|part| sources(&folder.join(part), &mut text));
            text
        };
        let product = read(&["src", "fuzz_targets"]);
        let everything = product.clone() + &read(&["tests", "benches", "examples"]);
        for dependency in package["dependencies"].as_array().unwrap() {
            let name = dependency["rename"].as_str().unwrap_or_else(|| text(dependency, "name"));
            used_by_members.insert(name.to_owned());
            let source = if dependency["kind"].is_null() { &product } else { &everything };
            assert!(names(source, &name.replace('-', "_")), "{} does not use {name}", text(package, "name"));
        }
    }
    let manifest: toml::Table = std::fs::read_to_string(top().join("Cargo.toml")).unwrap().parse().unwrap();
    for name in manifest["workspace"]["dependencies"].as_table().unwrap().keys() {
        assert!(used_by_members.contains(name), "no crate uses {name} of the workspace's dependencies");
    }
}

/// A page that names every crate in the binary, with its licence and the text of it.
fn notices(metadata: &Value) -> String {
    let packages: BTreeMap<&str, &Value> =
        metadata["packages"].as_array().unwrap().iter().map(|package| (text(package, "id"), package)).collect();
    let nodes: BTreeMap<&str, &Value> =
        metadata["resolve"]["nodes"].as_array().unwrap().iter().map(|node| (text(node, "id"), node)).collect();
    let is_macro =
        |package: &Value| package["targets"].as_array().unwrap().iter().any(|target| target["kind"][0] == "proc-macro");
    let mut ahead: Vec<&str> =
        packages.iter().filter(|(_, package)| text(package, "name") == "pagetide").map(|(id, _)| *id).collect();
    let mut seen = BTreeSet::new();
    while let Some(id) = ahead.pop() {
        if !seen.insert(id) {
            continue;
        }
        for dependency in nodes[id]["deps"].as_array().unwrap() {
            // Neither what only builds or tests something, nor a macro, is in the binary.
            let linked = dependency["dep_kinds"].as_array().unwrap().iter().any(|kind| kind["kind"].is_null());
            let id = text(dependency, "pkg");
            if linked && !is_macro(packages[id]) {
                ahead.push(id);
            }
        }
    }
    let mut rows: Vec<&Value> = seen.into_iter().map(|id| packages[id]).collect();
    rows.retain(|package| !package["source"].is_null());
    rows.sort_by_key(|package| (text(package, "name"), text(package, "version")));
    let mut page = String::from(
        "# Third-party notices\n\nThe binary `pagetide` contains these crates. Of the licences that a crate offers, it is used under the one \
         whose text is below.\n\n| crate | version | licence |\n|---|---|---|\n",
    );
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for package in rows {
        let (name, version, licence) = (text(package, "name"), text(package, "version"), text(package, "license"));
        let _ = writeln!(page, "| [{name}](https://crates.io/crates/{name}/{version}) | {version} | {licence} |");
        for text in licence_texts(package) {
            texts.entry(text).or_default().push(format!("{name} {version}"));
        }
    }
    page.push_str(
        "\nIt also contains these libraries, which no crate names:\n\n| library | version | licence |\n|---|---|---|\n",
    );
    for library in libraries() {
        let [name, version, licence] = ["name", "version", "licence"].map(|key| library[key].as_str().unwrap());
        let _ = writeln!(page, "| {name} | {version} | {licence} |");
        let text = std::fs::read_to_string(top().join("packaging/licences").join(library["text"].as_str().unwrap()));
        texts.entry(text.unwrap().trim_end().to_owned()).or_default().push(name.to_owned());
    }
    page.push_str(&in_the_page());
    let mut texts: Vec<_> = texts.into_iter().collect();
    texts.sort_by(|one, other| one.1.cmp(&other.1));
    for (text, crates) in texts {
        let _ = write!(page, "\n## {}\n\n~~~text\n{text}\n~~~\n", crates.join(", "));
    }
    page
}

/// What the compiler links into the binary beside the crates.
fn libraries() -> Vec<toml::Table> {
    let text = std::fs::read_to_string(top().join("packaging/licences/libraries.toml")).unwrap();
    let table: toml::Table = text.parse().unwrap();
    table["library"].as_array().unwrap().iter().map(|library| library.as_table().unwrap().clone()).collect()
}

/// What the page of `pagetide serve` contains. Its build puts the texts of the licences beside it.
fn in_the_page() -> String {
    let lock = std::fs::read_to_string(top().join("web/package-lock.json")).unwrap();
    let lock: Value = serde_json::from_str(&lock).unwrap();
    let mut table = String::from(
        "\nThe page of `pagetide serve` contains these packages; the texts of their licences are in its `assets/licences.txt`.\n\n\
         | package | version | licence |\n|---|---|---|\n",
    );
    for (path, package) in lock["packages"].as_object().unwrap() {
        let Some(name) = path.strip_prefix("node_modules/").filter(|_| package["dev"].is_null()) else { continue };
        let (version, licence) = (text(package, "version"), text(package, "license"));
        let _ = writeln!(table, "| [{name}](https://www.npmjs.com/package/{name}) | {version} | {licence} |");
    }
    table
}

#[test]
fn every_package_of_the_page_is_known_by_its_hash_and_has_an_allowed_licence() {
    let (rules, lock) = (rules(), std::fs::read_to_string(top().join("web/package-lock.json")).unwrap());
    let (licences, lock): (_, Value) = (words(&rules, "licenses", "allow"), serde_json::from_str(&lock).unwrap());
    for (path, package) in lock["packages"].as_object().unwrap().iter().filter(|(path, _)| !path.is_empty()) {
        assert!(text(package, "integrity").starts_with("sha512-"), "{path} has no hash");
        let used = package["dev"].is_null();
        assert!(!used || allowed(text(package, "license"), &licences), "{path}: {}", package["license"]);
    }
}

/// The texts under which a crate is used: its MIT licence where it offers one, else all that it has, and its notices.
fn licence_texts(package: &Value) -> Vec<String> {
    let folder = Path::new(text(package, "manifest_path")).parent().unwrap();
    let named = |words: &[&str]| -> Vec<PathBuf> {
        let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.retain(|path| {
            let name = path.file_name().unwrap().to_string_lossy().to_uppercase();
            path.is_file() && words.iter().any(|word| name.starts_with(word))
        });
        files.sort();
        files
    };
    let mut files = named(&["LICENSE-MIT", "LICENCE-MIT", "MIT-LICENSE"]);
    if files.is_empty() {
        files = named(&["LICENSE", "LICENCE", "COPYING", "UNLICENSE"]);
    }
    assert!(!files.is_empty(), "{} has no text of a licence", folder.display());
    files.extend(named(&["NOTICE"]));
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).unwrap();
        text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n").trim_matches('\n').to_owned()
    };
    files.into_iter().map(read).collect()
}

#[test]
fn the_notices_name_every_crate_in_the_binary() {
    let path = top().join("docs/THIRD-PARTY.md");
    let page = notices(&metadata());
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        known == page,
        "docs/THIRD-PARTY.md is old; UPDATE_DOCS=1 cargo test -p pagetide --test supply_chain writes it"
    );
}
