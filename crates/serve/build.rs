//! Embeds the built page: the files of `web/dist`, or of the folder that `PAGETIDE_WEB_DIST` names. Without it, none.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-env-changed=PAGETIDE_WEB_DIST");
    let source = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let dist = env::var_os("PAGETIDE_WEB_DIST").map_or_else(|| source.join("../../web/dist"), PathBuf::from);
    println!("cargo::rerun-if-changed={}", dist.display());
    let mut files = Vec::new();
    if dist.join("index.html").is_file() {
        list(&dist, &dist.canonicalize()?, &mut files)?;
    }
    files.sort();
    let mut code = "static FILES: &[(&str, &[u8])] = &[\n".to_owned();
    for (name, path) in files {
        let _ = writeln!(code, "    ({name:?}, include_bytes!({:?})),", path.display().to_string());
    }
    code.push_str("];\n");
    fs::write(PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("page.rs"), code)
}

/// All files below a folder, by their path in it.
fn list(top: &Path, folder: &Path, files: &mut Vec<(String, PathBuf)>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            list(top, &path, files)?;
        } else if let Ok(name) = path.strip_prefix(top.canonicalize()?) {
            files.push((name.display().to_string(), path.clone()));
        }
    }
    Ok(())
}
