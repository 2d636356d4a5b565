//! Inputs kept from fuzzing, one for each way that was found through the code, under the laws they
//! were found with: see `docs/fuzzing.md`.
#![cfg(not(target_arch = "wasm32"))]

#[path = "../fuzz/bodies/mod.rs"]
mod bodies;

use std::fs;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};

fn inputs(target: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(target);
    let entries = fs::read_dir(&folder).unwrap_or_else(|why| panic!("{}: {why}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
}

fn hold(target: &str) {
    let (_, check) =
        bodies::TARGETS.into_iter().find(|(name, _)| *name == target).expect("a target");
    let inputs = inputs(target);
    assert!(inputs.len() >= 10, "{target} has {} inputs", inputs.len());
    for path in &inputs {
        let bytes = fs::read(path).expect("an input");
        assert!(catch_unwind(|| check(&bytes)).is_ok(), "{} breaks a law", path.display());
    }
}

macro_rules! hold {
    ($($target:ident),*) => {
        $(
            #[test]
            fn $target() {
                hold(stringify!($target));
            }
        )*

        #[test]
        fn no_target_is_left_out() {
            assert_eq!(bodies::TARGETS.map(|(name, _)| name), [$(stringify!($target)),*]);
        }
    };
}

hold!(checkpoint, header, config, tokenizer, rows, sampling);
