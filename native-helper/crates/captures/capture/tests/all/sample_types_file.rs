//! The editor's copy of the types of samples keeps up with them.

// A test may fall; the lint only knows that of functions marked as tests.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::path::Path;

#[path = "../../examples/generate_sample_types/typescript.rs"]
mod typescript;

#[test]
fn the_generated_file_is_what_the_types_generate() {
    let path = Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap())
        .join("../../../../contract/sample-types.generated.ts");
    let checked_in = std::fs::read_to_string(&path).unwrap();
    assert!(
        checked_in == typescript::generate(),
        "{} is out of date; in native-helper/ run: {}",
        path.display(),
        typescript::GENERATE_COMMAND
    );
}
