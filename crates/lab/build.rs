//! Compresses the stored runs of real kernels, with which `lab conformance` compares the model.

use miniz_oxide::deflate::compress_to_vec;
use std::path::PathBuf;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=conformance");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    for entry in fs::read_dir("conformance")? {
        let run = entry?;
        fs::write(out.join(run.file_name()), compress_to_vec(&fs::read(run.path())?, 9))?;
    }
    Ok(())
}
