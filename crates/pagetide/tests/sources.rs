//! Every Rust file of the workspace is compiled and formatted: it is reached by plain `mod` lines from the root of one of its package's
//! targets. A file that only a macro names is compiled, but `cargo fmt` does not see it; a file that nothing names is neither.

#[path = "support/tree.rs"]
mod tree;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use syn::{Attribute, Expr, Item, Lit, Meta};

/// The file that a `path` attribute names.
fn named(attributes: &[Attribute]) -> Option<String> {
    attributes.iter().find_map(|attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("path") => match &pair.value {
            Expr::Lit(literal) => match &literal.lit {
                Lit::Str(text) => Some(text.value()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    })
}

/// Follows the `mod` lines of a file to the files that they name. `below` is the folder of its children.
fn follow(file: &Path, items: &[Item], below: &Path, reached: &mut BTreeSet<PathBuf>) {
    for item in items {
        let Item::Mod(module) = item else { continue };
        let name = module.ident.to_string();
        if let Some((_, items)) = &module.content {
            follow(file, items, &below.join(&name), reached);
            continue;
        }
        let flat = below.join(format!("{name}.rs"));
        let child = match named(&module.attrs) {
            Some(path) => file.parent().unwrap().join(path),
            None if flat.exists() => flat,
            None => below.join(&name).join("mod.rs"),
        };
        let children = if child.ends_with("mod.rs") { child.parent().unwrap().to_owned() } else { below.join(&name) };
        enter(&child, &children, reached);
    }
}

fn enter(file: &Path, below: &Path, reached: &mut BTreeSet<PathBuf>) {
    let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    if reached.insert(file.to_owned()) {
        follow(file, &syn::parse_file(&text).unwrap().items, below, reached);
    }
}

/// The Rust files below `folder` that no `mod` line reaches from these roots.
fn unreached(folder: &Path, roots: &[PathBuf]) -> Vec<PathBuf> {
    let mut reached = BTreeSet::new();
    for root in roots {
        enter(root, root.parent().unwrap(), &mut reached);
    }
    tree::rust_files(folder).difference(&reached).cloned().collect()
}

/// The folder of each package of the workspace, with the roots of its targets.
fn packages() -> Vec<(PathBuf, Vec<PathBuf>)> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--no-deps", "--locked", "--offline"])
        .current_dir(tree::root())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let path = |value: &serde_json::Value| PathBuf::from(value.as_str().unwrap());
    let package = |package: &serde_json::Value| {
        let roots = package["targets"].as_array().unwrap().iter().map(|target| path(&target["src_path"])).collect();
        (path(&package["manifest_path"]).parent().unwrap().to_owned(), roots)
    };
    metadata["packages"].as_array().unwrap().iter().map(package).collect()
}

#[test]
fn every_source_file_is_compiled_and_formatted() {
    let packages = packages();
    assert!(packages.len() > 15, "{} packages are too few: the workspace is somewhere else", packages.len());
    let unreached: Vec<_> = packages.iter().flat_map(|(folder, roots)| unreached(folder, roots)).collect();
    assert!(unreached.is_empty(), "no `mod` line leads to {unreached:#?}");
}

#[test]
fn a_file_without_a_mod_line_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    };
    let root = write("src/lib.rs", "mod one; macro_rules! all { ($($m:ident)*) => { $(mod $m;)* } } all! { two }");
    write("src/one.rs", "mod inline { mod deep; } #[path = \"elsewhere.rs\"] mod other;");
    write("src/one/inline/deep.rs", "");
    write("src/elsewhere.rs", "");
    let by_macro = write("src/two.rs", "");
    let by_nobody = write("src/one/forgotten.rs", "");
    assert_eq!(unreached(folder.path(), &[root]), [by_nobody, by_macro]);
}
