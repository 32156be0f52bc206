//! Prints the TypeScript file with the requests to the module and its answers.

use std::io::Write;

use editor_module::{
    Answer, BuildsAnswer, BuildsRequest, CompareRequest, ConvertRequest, Converted, CountAnswer,
    CountRequest, HistoryAnswer, HistoryRequest, PageAnswer, PageRequest,
};
use protocol::typescript::declarations_of as declared;

/// The command that rewrites the generated file, run in `native-helper/`.
pub const GENERATE_COMMAND: &str =
    "cargo run -p editor-module --example generate-types > ../contract/editor-module.generated.ts";

#[allow(
    dead_code,
    reason = "the test that includes this file has a main function of its own"
)]
fn main() -> std::io::Result<()> {
    std::io::stdout().write_all(text().as_bytes())
}

/// The whole file. The same types always give the same text.
pub fn text() -> String {
    let mut declarations = std::collections::BTreeMap::new();
    for types in [
        declared::<CompareRequest>(),
        declared::<Answer>(),
        declared::<ConvertRequest>(),
        declared::<Converted>(),
        declared::<BuildsRequest>(),
        declared::<BuildsAnswer>(),
        declared::<CountRequest>(),
        declared::<CountAnswer>(),
        declared::<HistoryRequest>(),
        declared::<HistoryAnswer>(),
        declared::<PageRequest>(),
        declared::<PageAnswer>(),
    ] {
        declarations.extend(types);
    }
    let declarations: Vec<String> = declarations.into_values().collect();
    format!(
        "// Generated from native-helper/crates/service/editor-module. Do not edit. To write it again, in native-helper/:\n// {GENERATE_COMMAND}\n\n{}",
        declarations.join("\n")
    )
}
