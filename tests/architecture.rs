//! The absences that ARCHITECTURE.md promises, looked for in the sources.
#![cfg(not(target_arch = "wasm32"))]

use std::fs;
use std::path::{Path, PathBuf};

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder is there");
    let paths = entries.map(|entry| entry.expect("a readable entry").path());
    paths.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] }).collect()
}

/// Files below `folder`, but for `except`, whose code (not comments, not unit tests) has one of `words`.
fn having(folder: &str, words: &[&str], except: &[&str]) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    for path in sources(&root.join(folder)) {
        let name = path.strip_prefix(root).expect("below the root").display().to_string();
        // Beside sources lie modules that they hold.
        if !name.ends_with(".rs") || except.iter().any(|except| name.starts_with(except)) {
            continue;
        }
        let text = fs::read_to_string(&path).expect("source text");
        let code = text.lines().take_while(|line| *line != "mod tests {");
        let code = code.filter(|line| !line.trim_start().starts_with("//"));
        found.extend(
            code.filter(|line| words.iter().any(|word| line.contains(word)))
                .map(|line| format!("{name}: {}", line.trim())),
        );
    }
    found
}

const NOTHING: [String; 0] = [];

#[test]
fn wasm_bindgen_stays_in_web() {
    let words = ["wasm_bindgen", "web_sys", "js_sys"];
    assert!(!having("src/web", &words, &[]).is_empty(), "the search finds what is there");
    assert_eq!(having("src", &words, &["src/web"]), NOTHING);
}

#[test]
fn two_places_name_a_backend() {
    let words = ["Flex", "flex()", "Cube", "wgpu"];
    assert_eq!(having("src", &words, &["src/device.rs", "src/ops/"]), NOTHING);
}

#[test]
fn data_knows_no_tensors_and_attention_no_tokens() {
    for folder in ["src/data", "src/loops"] {
        assert_eq!(having(folder, &["burn::", "Tensor"], &[]), NOTHING);
    }
    assert_eq!(having("src/attention", &["crate::data", "crate::session"], &[]), NOTHING);
    assert_eq!(having("src/train", &["crate::data", "crate::session", "crate::web"], &[]), NOTHING);
}

/// The module for the CPU has no code for it, see `scripts/lib/wasm-unused.js`.
#[test]
fn no_number_is_printed_to_so_many_digits() {
    let words: Vec<String> = ["*", "$"]
        .into_iter()
        .map(String::from)
        .chain((0..18).map(|digits| digits.to_string()))
        .map(|digits| format!(".{digits}}}"))
        .collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    assert_eq!(having("src", &words, &["src/session/tests/"]), NOTHING);
}

#[test]
fn a_kinds_name_stands_in_the_table_alone() {
    for kind in synthattn::attention::KINDS {
        let quoted = format!("\"{}\"", kind.name);
        // Parts name their place in files, some of them like the kind.
        let except = ["src/attention/", "src/session/tests/", "src/check.rs"];
        assert_eq!(having("src", &[&quoted], &except), NOTHING);
    }
}
