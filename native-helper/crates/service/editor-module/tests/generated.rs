//! The generated TypeScript file keeps up with the types.
#![allow(clippy::unwrap_used)]

#[path = "../examples/generate-types.rs"]
mod generate_types;

use generate_types::{GENERATE_COMMAND, text};

#[test]
fn the_generated_file_is_what_the_types_generate() {
    let folder = std::env::var("CARGO_MANIFEST_DIR").unwrap();
    let file = format!("{folder}/../../../../contract/editor-module.generated.ts");
    let checked_in = std::fs::read_to_string(file).unwrap();
    assert!(
        checked_in == text(),
        "contract/editor-module.generated.ts is out of date; in native-helper/ run: {GENERATE_COMMAND}"
    );
}
