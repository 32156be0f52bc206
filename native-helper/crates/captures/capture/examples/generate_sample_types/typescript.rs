//! The types of samples as TypeScript. Shared by the example that prints the file and the test that compares the file
//! with it.

use capture::sample_types::{ALL, Evidence, Figures, SampleType};

/// How to write the file again.
pub(crate) const GENERATE_COMMAND: &str =
    "cargo run -p capture --example generate-sample-types > ../contract/sample-types.generated.ts";

/// The whole file.
pub(crate) fn generate() -> String {
    let ids: Vec<String> = ALL.iter().map(|one| format!("{:?}", one.id)).collect();
    let types: String = ALL.iter().map(row).collect();
    format!(
        "// Generated from native-helper/crates/captures/capture/src/sample_types.rs. Do not edit. To write it again, in native-helper/:\n\
         // {GENERATE_COMMAND}\n\
         \n\
         export type SampleTypeId = {};\n\
         \n\
         /** A quantity that samples count. */\n\
         export interface SampleType {{\n\
         \x20 readonly label: string;\n\
         \x20 /** The column with the number of samples: name and unit. */\n\
         \x20 readonly count: readonly [string, string];\n\
         \x20 /** The column with the quantity that they stand for: name and unit. */\n\
         \x20 readonly value: readonly [string, string];\n\
         \x20 /** The quantity that figures add up. */\n\
         \x20 readonly figures: \"count\" | \"value\";\n\
         \x20 /** Values of different stacks may be added. */\n\
         \x20 readonly addsUp: boolean;\n\
         \x20 /** Some samples are no work, by their class. */\n\
         \x20 readonly hasIdle: boolean;\n\
         \x20 /** How far a figure can be trusted: as far as the number of its samples permits, or fully. */\n\
         \x20 readonly evidence: \"samples\" | \"exact\";\n\
         }}\n\
         \n\
         /** All types, in the order in which files have them. */\n\
         export const SAMPLE_TYPES: Readonly<Record<SampleTypeId, SampleType>> = {{\n{types}}};\n",
        ids.join(" | ")
    )
}

/// Texts are ASCII without quotes or backslashes, so a Rust literal is a TypeScript one.
fn row(one: &SampleType) -> String {
    let SampleType {
        id,
        label,
        count,
        value,
        figures,
        adds_up,
        has_idle,
        evidence,
        ..
    } = one;
    let figures = match figures {
        Figures::Count => "count",
        Figures::Value => "value",
    };
    let evidence = match evidence {
        Evidence::Samples => "samples",
        Evidence::Exact => "exact",
    };
    format!(
        "  {id:?}: {{\n    label: {label:?},\n    count: {count:?},\n    value: {value:?},\n    figures: {figures:?},\n    addsUp: {adds_up},\n    hasIdle: {has_idle},\n    evidence: {evidence:?},\n  }},\n"
    )
}
