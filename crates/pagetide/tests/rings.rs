//! No two source files of a crate import each other, directly or in a ring: a ring means that a third thing, which both need,
//! has no file yet.
//!
//! A path in code is followed through modules, imports and re-exports to the file that defines what it names. An import that
//! nothing in the file uses, and a re-export, make no arrow.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use syn::punctuated::Punctuated;
use syn::visit::Visit;
use syn::{Attribute, Expr, Item, Token, UseTree};

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
        }
    }
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

    /// The file that defines what a path names as seen from a module, if this crate does. `depth` ends imports in a circle.
    fn file_of(&self, from: &[String], path: &[String], depth: usize) -> Option<&Path> {
        let module = self.0.get(from)?;
        let (first, rest) = path.split_first()?;
        let below = |name: &str| [from, &[name.to_owned()]].concat();
        if depth == 0 {
            return None;
        }
        let follow = |module: &[String], path: &[String]| self.file_of(module, path, depth - 1);
        match first.as_str() {
            "crate" => follow(&[], rest),
            "self" => follow(from, rest),
            "super" => follow(&from[..from.len().checked_sub(1)?], rest),
            // A module by itself is nothing that is used; a variable may have its name.
            name if module.children.contains(name) && rest.is_empty() => None,
            name if module.children.contains(name) => follow(&below(name), rest),
            name if module.defined.contains(name) => Some(&module.file),
            name => match module.imports.get(name) {
                // An import of a crate has the crate's name first, which is no module of this one.
                Some(import) => follow(from, &[import, rest].concat()),
                None => module.globs.iter().find_map(|glob| follow(from, &[glob, path].concat())),
            },
        }
    }

    /// Which files use what others define.
    fn arrows(&self) -> BTreeMap<&Path, BTreeSet<&Path>> {
        let mut arrows = BTreeMap::<_, BTreeSet<_>>::new();
        for (from, module) in &self.0 {
            let targets = module.used.iter().filter_map(|path| self.file_of(from, path, 16));
            arrows.entry(&*module.file).or_default().extend(targets.filter(|file| *file != module.file));
        }
        arrows
    }

    /// The groups of files that reach each other.
    fn rings(&self) -> Vec<BTreeSet<PathBuf>> {
        let arrows = self.arrows();
        let reached = |from: &Path| {
            let (mut seen, mut open) = (BTreeSet::new(), vec![from.to_owned()]);
            while let Some(file) = open.pop() {
                for next in arrows.get(&*file).into_iter().flatten() {
                    if seen.insert(next.to_path_buf()) {
                        open.push(next.to_path_buf());
                    }
                }
            }
            seen
        };
        let all: BTreeMap<_, _> = arrows.keys().map(|file| (file.to_path_buf(), reached(file))).collect();
        let in_ring = |(file, seen): (&PathBuf, &BTreeSet<PathBuf>)| -> Option<BTreeSet<PathBuf>> {
            seen.contains(file).then(|| seen.iter().filter(|other| all[*other].contains(file)).cloned().collect())
        };
        all.iter().filter_map(in_ring).collect::<BTreeSet<_>>().into_iter().collect()
    }
}

fn modules_of(root: &Path, read: &dyn Fn(&Path) -> String) -> Modules {
    let mut modules = Modules::default();
    modules.read(&[], root, syn::parse_file(&read(root)).unwrap().items, read);
    modules
}

#[test]
fn no_files_of_a_crate_import_each_other() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let (mut files, mut arrows, mut report) = (0, 0, Vec::new());
    for folder in std::fs::read_dir(crates).unwrap() {
        let src = folder.unwrap().path().join("src");
        for root in ["lib.rs", "main.rs"].map(|name| src.join(name)).into_iter().filter(|root| root.exists()) {
            let modules = modules_of(&root, &|file| std::fs::read_to_string(file).unwrap());
            files += modules.0.len();
            arrows += modules.arrows().values().map(BTreeSet::len).sum::<usize>();
            let name = |file: &Path| file.strip_prefix(crates).unwrap().display().to_string();
            for ring in modules.rings() {
                let inside = |(from, to): &(&Path, BTreeSet<&Path>)| {
                    ring.contains(*from).then(|| {
                        let used: Vec<_> = to.iter().filter(|to| ring.contains(**to)).map(|to| name(to)).collect();
                        format!("{} uses {}", name(from), used.join(" "))
                    })
                };
                report.push(
                    modules.arrows().into_iter().filter_map(|arrow| inside(&arrow)).collect::<Vec<_>>().join("\n"),
                );
            }
        }
    }
    assert!(files > 300 && arrows > 600, "{files} files and {arrows} arrows are too few: the tree is somewhere else");
    assert!(report.is_empty(), "{} rings of files that import each other:\n{}", report.len(), report.join("\n\n"));
}

/// A crate of a few files.
fn made(sources: &[(&str, &str)]) -> Vec<Vec<String>> {
    let sources: BTreeMap<_, _> = sources.iter().copied().collect();
    let modules = modules_of(Path::new("lib.rs"), &|file| sources[file.to_str().unwrap()].to_owned());
    let name = |file: &PathBuf| file.display().to_string();
    modules.rings().iter().map(|ring| ring.iter().map(name).collect()).collect()
}

#[test]
fn rings_are_found_through_imports_and_re_exports() {
    let lib = ("lib.rs", "mod one; mod two; pub use one::One;");
    let one = ("one.rs", "use crate::two; pub struct One; fn f() { assert!(two::three::g()); }");
    let two = ("two.rs", "pub mod three;");
    assert_eq!(
        made(&[lib, one, two, ("two/three.rs", "use crate::One; pub fn g(_: One) {}")]),
        [["one.rs", "two/three.rs"]]
    );
    let tested = "pub fn g() {} #[cfg(test)] mod tests { use crate::One; fn h(_: One) {} }";
    assert!(made(&[lib, one, two, ("two/three.rs", tested)]).is_empty());
    assert!(made(&[lib, one, two, ("two/three.rs", "use crate::One; pub fn g() {}")]).is_empty());
}
