//! Prints the types of samples as the editor's TypeScript file.

// Printing is what this program is for.
#![allow(clippy::print_stdout)]

#[path = "generate_sample_types/typescript.rs"]
mod typescript;

fn main() {
    print!("{}", typescript::generate());
}
