//! Prints the limits of captures as the editor's TypeScript file.

// Printing is what this program is for.
#![allow(clippy::print_stdout)]

#[path = "generate_limits/typescript.rs"]
mod typescript;

fn main() {
    print!("{}", typescript::generate());
}
