//! Compresses the pages of the book for `pagetide help`: as they are, they would be a twentieth of the program.

use miniz_oxide::deflate::compress_to_vec;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=docs");
    let (docs, out) = (Path::new("docs"), PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()));
    for folder in ["", "tutorials", "how-to", "explanation"] {
        fs::create_dir_all(out.join(folder))?;
        for entry in fs::read_dir(docs.join(folder))? {
            let page = Path::new(folder).join(entry?.file_name());
            if page.extension().is_some_and(|extension| extension == "md") {
                fs::write(out.join(&page), compress_to_vec(&fs::read(docs.join(&page))?, 9))?;
            }
        }
    }
    Ok(())
}
