//! Writes the seeds of a target into a folder, for libFuzzer: `seeds TARGET FOLDER`.

use std::path::Path;

fn main() {
    let mut words = std::env::args().skip(1);
    let (name, folder) = words.next().zip(words.next()).expect("seeds TARGET FOLDER");
    let target = pagetide_fuzz::TARGETS.iter().find(|target| target.name == name).expect("the name of a target");
    std::fs::create_dir_all(&folder).expect("a folder that can be written");
    for (at, seed) in target.seeds().into_iter().enumerate() {
        std::fs::write(Path::new(&folder).join(format!("seed-{at}")), seed).expect("a file that can be written");
    }
}
