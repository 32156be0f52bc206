//! Prints the groups of native functions as the editor's TypeScript file.

// Printing is what this program is for.
#![allow(clippy::print_stdout)]

#[path = "generate_groups/typescript.rs"]
mod typescript;

fn main() {
    print!("{}", typescript::generate());
}
