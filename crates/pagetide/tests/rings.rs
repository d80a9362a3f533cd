//! No two source files of a crate import each other, directly or in a ring, and no two modules beside each other do, whichever of
//! their files: a ring means that a third thing, which both need, has no file or module yet.
//!
//! A path in code is followed through modules, imports and re-exports to the file that defines what it names. An import that
//! nothing in the file uses, and a re-export, make no arrow.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use syn::punctuated::Punctuated;
use syn::visit::Visit;
use syn::{Attribute, Expr, ExprLit, Item, Lit, Token, UseTree};

/// The names on the way to a module, from the root of the crate.
type ModulePath = Vec<String>;

/// What a module of a crate defines and imports.
#[derive(Debug, Default)]
struct Module {
    file: PathBuf,
    children: BTreeSet<String>,
    defined: BTreeSet<String>,
    imports: BTreeMap<String, Vec<String>>,
    globs: Vec<Vec<String>>,
    used: Vec<Vec<String>>,
}

/// Who uses whom.
type Arrows<N> = BTreeMap<N, BTreeSet<N>>;

/// The modules of a crate, by their paths.
#[derive(Debug, Default)]
struct Modules(BTreeMap<ModulePath, Module>);

/// Collects the paths in code.
#[derive(Debug, Default)]
struct Paths(Vec<Vec<String>>);

impl<'ast> Visit<'ast> for Paths {
    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.0.push(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        syn::visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, called: &'ast syn::Macro) {
        self.visit_path(&called.path);
        if let Ok(arguments) = called.parse_body_with(Punctuated::<Expr, Token![,]>::parse_terminated) {
            arguments.iter().for_each(|argument| self.visit_expr(argument));
            let texts = arguments.iter().filter_map(|argument| match argument {
                Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
                _ => None,
            });
            self.0.extend(texts.flat_map(|text| captured(&text)).map(|name| vec![name]));
        }
    }
}

/// The names in the braces of a format string.
fn captured(text: &str) -> Vec<String> {
    let is_name = |name: &&str| !name.is_empty() && name.chars().all(|c| c == '_' || c.is_alphanumeric());
    let parts = text.split('{').skip(1).filter_map(|part| part.split_once(['}', ':']).map(|(name, _)| name));
    parts.filter(is_name).map(ToOwned::to_owned).collect()
}

/// Whether it is compiled for tests only.
fn for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.parse_args::<syn::Path>().is_ok_and(|condition| condition.is_ident("test"))
    })
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// The name that an item defines.
fn defined(item: &Item) -> Option<String> {
    Some(match item {
        Item::Const(item) => item.ident.to_string(),
        Item::Enum(item) => item.ident.to_string(),
        Item::Fn(item) => item.sig.ident.to_string(),
        Item::Macro(item) => item.ident.as_ref()?.to_string(),
        Item::Static(item) => item.ident.to_string(),
        Item::Struct(item) => item.ident.to_string(),
        Item::Trait(item) => item.ident.to_string(),
        Item::Type(item) => item.ident.to_string(),
        Item::Union(item) => item.ident.to_string(),
        _ => return None,
    })
}

impl Module {
    fn import(&mut self, before: &[String], tree: &UseTree) {
        let with = |name: &syn::Ident| [before, &[name.to_string()]].concat();
        match tree {
            UseTree::Path(path) => self.import(&with(&path.ident), &path.tree),
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.import(before, tree)),
            UseTree::Glob(_) => self.globs.push(before.to_vec()),
            UseTree::Name(name) if name.ident == "self" => {
                self.imports.extend(before.last().map(|last| (last.clone(), before.to_vec())));
            }
            UseTree::Name(name) => {
                self.imports.insert(name.ident.to_string(), with(&name.ident));
            }
            UseTree::Rename(renamed) => {
                let path = if renamed.ident == "self" { before.to_vec() } else { with(&renamed.ident) };
                self.imports.insert(renamed.rename.to_string(), path);
            }
        }
    }
}

impl Modules {
    /// Reads a module and those below it. `read` gives the source of a file.
    fn read(&mut self, path: &[String], file: &Path, items: Vec<Item>, read: &dyn Fn(&Path) -> String) {
        let mut module = Module { file: file.to_owned(), ..Module::default() };
        for item in items {
            if for_tests(attributes(&item)) {
                continue;
            }
            match item {
                Item::Mod(child) => {
                    let name = child.ident.to_string();
                    let below = [path, std::slice::from_ref(&name)].concat();
                    module.children.insert(name.clone());
                    if let Some((_, items)) = child.content {
                        self.read(&below, file, items, read);
                    } else {
                        let stem = file.file_stem().unwrap().to_str().unwrap();
                        let folder = file.parent().unwrap();
                        let folder = if path.is_empty() { folder.to_owned() } else { folder.join(stem) };
                        let file = folder.join(format!("{name}.rs"));
                        let items = syn::parse_file(&read(&file)).unwrap().items;
                        self.read(&below, &file, items, read);
                    }
                }
                Item::Use(import) => module.import(&[], &import.tree),
                item => {
                    module.defined.extend(defined(&item));
                    let mut paths = Paths::default();
                    paths.visit_item(&item);
                    module.used.extend(paths.0);
                }
            }
        }
        self.0.insert(path.to_vec(), module);
    }

    /// The module that defines what a path names as seen from a module, if this crate does. `depth` ends imports in a circle.
    fn definer(&self, from: &[String], path: &[String], depth: usize) -> Option<ModulePath> {
        let module = self.0.get(from)?;
        let (first, rest) = path.split_first()?;
        let below = |name: &str| [from, &[name.to_owned()]].concat();
        if depth == 0 {
            return None;
        }
        let follow = |module: &[String], path: &[String]| self.definer(module, path, depth - 1);
        match first.as_str() {
            "crate" => follow(&[], rest),
            "self" => follow(from, rest),
            "super" => follow(&from[..from.len().checked_sub(1)?], rest),
            // A module by itself is nothing that is used; a variable may have its name.
            name if module.children.contains(name) && rest.is_empty() => None,
            name if module.children.contains(name) => follow(&below(name), rest),
            name if module.defined.contains(name) => Some(from.to_vec()),
            name => match module.imports.get(name) {
                // An import of a crate has the crate's name first, which is no module of this one.
                Some(import) => follow(from, &[import, rest].concat()),
                None => module.globs.iter().find_map(|glob| follow(from, &[glob, path].concat())),
            },
        }
    }

    /// Which files use what others define.
    fn files(&self) -> Arrows<PathBuf> {
        let mut arrows = Arrows::new();
        for (from, module) in &self.0 {
            let targets = module.used.iter().filter_map(|path| self.definer(from, path, 16));
            let targets = targets.map(|to| self.0[&to].file.clone()).filter(|file| *file != module.file);
            arrows.entry(module.file.clone()).or_default().extend(targets);
        }
        arrows
    }

    /// Which modules use what is defined in modules beside them, each with all that is below it.
    fn modules(&self) -> Arrows<ModulePath> {
        let mut arrows = Arrows::new();
        for (from, module) in &self.0 {
            for to in module.used.iter().filter_map(|path| self.definer(from, path, 16)) {
                let parted = from.iter().zip(&to).position(|(one, other)| one != other);
                if let Some(parted) = parted {
                    arrows.entry(from[..=parted].to_vec()).or_default().insert(to[..=parted].to_vec());
                }
            }
        }
        arrows
    }
}

/// The groups of nodes that reach each other.
fn rings<N: Ord + Clone>(arrows: &Arrows<N>) -> BTreeSet<BTreeSet<N>> {
    let reached = |from: &N| {
        let (mut seen, mut open) = (BTreeSet::new(), vec![from.clone()]);
        while let Some(node) = open.pop() {
            for next in arrows.get(&node).into_iter().flatten() {
                if seen.insert(next.clone()) {
                    open.push(next.clone());
                }
            }
        }
        seen
    };
    let all: BTreeMap<_, _> = arrows.keys().map(|node| (node.clone(), reached(node))).collect();
    let in_ring = |(node, seen): (&N, &BTreeSet<N>)| -> Option<BTreeSet<N>> {
        let returns = |other: &&N| all.get(*other).is_some_and(|seen| seen.contains(node));
        seen.contains(node).then(|| seen.iter().filter(returns).cloned().collect())
    };
    all.iter().filter_map(in_ring).collect()
}

/// One paragraph for each ring: who uses whom.
fn described<N: Ord + Clone>(arrows: &Arrows<N>, name: impl Fn(&N) -> String) -> Vec<String> {
    let inside = |ring: &BTreeSet<N>| {
        let uses = ring.iter().map(|from| {
            let used: Vec<_> = arrows[from].intersection(ring).map(&name).collect();
            format!("{} uses {}", name(from), used.join(" "))
        });
        uses.collect::<Vec<_>>().join("\n")
    };
    rings(arrows).iter().map(inside).collect()
}

fn modules_of(root: &Path, read: &dyn Fn(&Path) -> String) -> Modules {
    let mut modules = Modules::default();
    modules.read(&[], root, syn::parse_file(&read(root)).unwrap().items, read);
    modules
}

#[test]
fn neither_files_nor_modules_of_a_crate_import_each_other() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let (mut files, mut arrows, mut report) = (0, 0, Vec::new());
    for folder in std::fs::read_dir(crates).unwrap() {
        let folder = folder.unwrap().path();
        let src = folder.join("src");
        for root in ["lib.rs", "main.rs"].map(|name| src.join(name)).into_iter().filter(|root| root.exists()) {
            let modules = modules_of(&root, &|file| std::fs::read_to_string(file).unwrap());
            let used = modules.files();
            files += modules.0.len();
            arrows += used.values().map(BTreeSet::len).sum::<usize>();
            report.extend(described(&used, |file| file.strip_prefix(crates).unwrap().display().to_string()));
            let package = folder.file_name().unwrap().to_str().unwrap();
            report.extend(described(&modules.modules(), |path| format!("{package}::{}", path.join("::"))));
        }
    }
    assert!(files > 300 && arrows > 600, "{files} files and {arrows} arrows are too few: the tree is somewhere else");
    assert!(report.is_empty(), "{} rings that import each other:\n{}", report.len(), report.join("\n\n"));
}

/// A crate of a few files.
fn made(sources: &[(&str, &str)]) -> Modules {
    let sources: BTreeMap<_, _> = sources.iter().copied().collect();
    modules_of(Path::new("lib.rs"), &|file| sources[file.to_str().unwrap()].to_owned())
}

/// The rings of the files of such a crate.
fn file_rings(sources: &[(&str, &str)]) -> Vec<Vec<String>> {
    let name = |file: &PathBuf| file.display().to_string();
    rings(&made(sources).files()).iter().map(|ring| ring.iter().map(name).collect()).collect()
}

#[test]
fn rings_are_found_through_imports_and_re_exports() {
    let lib = ("lib.rs", "mod one; mod two; pub use one::One;");
    let one = ("one.rs", "use crate::two; pub struct One; fn f() { assert!(two::three::g()); }");
    let two = ("two.rs", "pub mod three;");
    assert_eq!(
        file_rings(&[lib, one, two, ("two/three.rs", "use crate::One; pub fn g(_: One) {}")]),
        [["one.rs", "two/three.rs"]]
    );
    let tested = "pub fn g() {} #[cfg(test)] mod tests { use crate::One; fn h(_: One) {} }";
    assert!(file_rings(&[lib, one, two, ("two/three.rs", tested)]).is_empty());
    assert!(file_rings(&[lib, one, two, ("two/three.rs", "use crate::One; pub fn g() {}")]).is_empty());
    let captured = "use crate::One; pub fn g() { let _ = format!(\"id = {One}, {:.0}\", 1); }";
    assert_eq!(file_rings(&[lib, one, two, ("two/three.rs", captured)]).len(), 1);
}

#[test]
fn modules_that_use_each_other_through_different_files_are_a_ring() {
    let lib = ("lib.rs", "mod page; mod timeline;");
    let page = ("page.rs", "mod block; pub use block::Stage; use crate::timeline; fn f() { timeline::draw() }");
    let block = ("page/block.rs", "pub struct Stage;");
    let timeline = ("timeline.rs", "pub fn draw() {} fn g(_: &[crate::page::Stage]) {}");
    assert!(file_rings(&[lib, page, block, timeline]).is_empty(), "no two files use each other");
    let all = rings(&made(&[lib, page, block, timeline]).modules());
    assert_eq!(all, [BTreeSet::from(["page", "timeline"].map(|name| vec![name.to_owned()]))].into());
    let apart = ("timeline.rs", "pub fn draw() {}");
    assert!(rings(&made(&[lib, page, block, apart]).modules()).is_empty());
}
