//! The groups and old names as TypeScript. Shared by the example that prints the file and the test that compares the
//! file with it.

use capture::groups::{ALIASES, GROUPS, Pattern};

/// How to write the file again.
pub(crate) const GENERATE_COMMAND: &str = "cargo run -p capture --example generate-groups > ../extension/src/capture/answers/groups.generated.ts";

/// The whole file.
pub(crate) fn generate() -> String {
    let groups: String = GROUPS
        .iter()
        .map(|group| {
            let class = group.class.as_str();
            row(
                group.name,
                &format!(" sampleClass: \"{class}\","),
                group.patterns,
            )
        })
        .collect();
    let aliases: String = ALIASES
        .iter()
        .map(|(old, patterns)| row(old, "", patterns))
        .collect();
    format!(
        "// Generated from native-helper/crates/captures/capture/src/groups.rs. Do not edit. To write it again, in native-helper/:\n\
         // {GENERATE_COMMAND}\n\
         \n\
         import type {{ SampleClass }} from \"../../../../contract/protocol.generated.js\";\n\
         \n\
         /** Names of native functions: whole ones, or how they start or end. */\n\
         export interface NamePatterns {{\n\
         \x20 readonly exact: readonly string[];\n\
         \x20 readonly prefixes: readonly string[];\n\
         \x20 readonly suffixes: readonly string[];\n\
         }}\n\
         \n\
         export interface NativeGroup extends NamePatterns {{\n\
         \x20 readonly name: string;\n\
         \x20 /** The class of a sample in it. */\n\
         \x20 readonly sampleClass: SampleClass;\n\
         }}\n\
         \n\
         /** A name of older VMs with what it became. */\n\
         export interface NameAlias extends NamePatterns {{\n\
         \x20 readonly name: string;\n\
         }}\n\
         \n\
         export const NATIVE_GROUPS: readonly NativeGroup[] = [\n{groups}];\n\
         \n\
         export const NAME_ALIASES: readonly NameAlias[] = [\n{aliases}];\n"
    )
}

fn row(name: &str, more: &str, patterns: &[Pattern]) -> String {
    let exact = patterns.iter().filter_map(|pattern| match pattern {
        Pattern::Exact(text) => Some(*text),
        _ => None,
    });
    let prefixes = patterns.iter().filter_map(|pattern| match pattern {
        Pattern::Prefix(text) => Some(*text),
        _ => None,
    });
    let suffixes = patterns.iter().filter_map(|pattern| match pattern {
        Pattern::Suffix(text) => Some(*text),
        _ => None,
    });
    format!(
        "  {{\n    name: {name:?},{more}\n    exact: [{}],\n    prefixes: [{}],\n    suffixes: [{}],\n  }},\n",
        list(exact),
        list(prefixes),
        list(suffixes)
    )
}

/// Names are ASCII without quotes or backslashes, so a Rust literal is a TypeScript one.
fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names
        .map(|name| format!("{name:?}"))
        .collect::<Vec<_>>()
        .join(", ")
}
