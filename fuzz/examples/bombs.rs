//! Writes every bomb into a folder, for the tests of the Python package: `bombs FOLDER`.

use std::path::Path;

fn main() {
    let folder = std::env::args().nth(1).expect("bombs FOLDER");
    for bomb in pagetide_fuzz::bomb::BOMBS {
        (bomb.write)(&Path::new(&folder).join(bomb.name));
    }
}
