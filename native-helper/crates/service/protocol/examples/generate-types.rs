//! Prints the protocol's TypeScript file.

use std::io::Write;

fn main() -> std::io::Result<()> {
    std::io::stdout().write_all(protocol::typescript::generate().as_bytes())
}
