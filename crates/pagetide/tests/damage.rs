//! A recording that is damaged is never taken for a whole one.

use assert_cmd::Command;
use std::fs;
use std::path::{Path, PathBuf};

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

fn pagetide(arguments: &[&str], folder: &Path) -> (Option<i32>, String) {
    let binary = std::env::var_os("PAGETIDE_BINARY").unwrap_or_else(|| env!("CARGO_BIN_EXE_pagetide").into());
    let output = Command::new(binary).args(arguments).arg(folder).output().unwrap();
    (output.status.code(), String::from_utf8(output.stdout).unwrap())
}

#[test]
fn one_flipped_bit_or_a_missing_file_is_in_the_first_lines_of_every_answer() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("rec");
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/import/curious-case");
    let logs = files(&fixtures);
    Command::new(env!("CARGO_BIN_EXE_pagetide")).arg("import").args(&logs).arg("-o").arg(&folder).assert().success();
    let (code, text) = pagetide(&["check"], &folder);
    assert!(code == Some(0) && text.contains(": whole ("), "{text}");
    let file = files(&folder.join("disk")).pop().unwrap();
    let whole = fs::read(&file).unwrap();
    for missing in [false, true] {
        let mut bytes = whole.clone();
        bytes[whole.len() / 2] ^= 0x10;
        if missing {
            fs::remove_file(&file).unwrap()
        } else {
            fs::write(&file, bytes).unwrap()
        }
        let (code, text) = pagetide(&["check"], &folder);
        assert!(code == Some(1) && text.contains("1 damaged") && text.contains("the disk rows of segment"), "{text}");
        let (code, text) = pagetide(&["check", "--json"], &folder);
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert!(code == Some(1) && value["damaged"].as_array().unwrap().len() == 1, "{text}");
        let output =
            Command::new(env!("CARGO_BIN_EXE_pagetide")).arg("show").arg(&folder).arg("disk").output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.code() == Some(1) && text.starts_with("damaged: "), "{text}");
        let (code, text) = pagetide(&["diagnose"], &folder);
        let first: String = text.lines().take(4).collect::<Vec<_>>().join(" ");
        assert!(code == Some(1) && first.contains("Damaged:"), "{text}");
        let (code, text) = pagetide(&["diagnose", "--json"], &folder);
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert!(code == Some(1) && value["damaged"].as_array().unwrap().len() == 1, "{text}");
        for (json, said) in [(&[][..], "damaged: "), (&["--json"][..], "\"damaged\"")] {
            let (code, text) =
                pagetide(&[&["diagnose", "--watch", "--over", "20000d", "--for", "200ms"], json].concat(), &folder);
            assert!(code == Some(1) && text.lines().filter(|line| line.contains(said)).count() == 1, "{text}");
        }
        let page = scratch.path().join("page.html");
        let (code, _) = pagetide(&["diagnose", "--html", page.to_str().unwrap()], &folder);
        assert!(code == Some(1) && fs::read_to_string(&page).unwrap().contains("Damaged: "));
        fs::write(&file, &whole).unwrap();
    }
    fs::write(folder.join("manifest.json"), "{").unwrap();
    let (code, text) = pagetide(&["check"], &folder);
    assert!(code == Some(1) && text.contains("manifest.json is damaged"), "{text}");
}
