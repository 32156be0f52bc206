//! Text for people: the one place that writes text to stdout and stderr. JSON and exported files do
//! not pass through here; their formats escape the characters that need it.
//!
//! Text of a target is hostile to a terminal too (see [`capture::visible`]), and no code can be
//! sure which part of a line came from one. So each line is made visible as a whole: a line break
//! in a name does not end the line either.

pub mod screen;

use std::io::{self, IsTerminal, Write};

use capture::visible::visible;
use diagnose::shell_word;

/// Prints a line. The reader of the output may be gone by the end of a capture: that is an error to
/// report, not a reason to panic.
pub fn print_line(line: &str) -> io::Result<()> {
    writeln!(io::stdout(), "{}", visible(line))
}

/// Prints lines.
pub fn print_lines<T: AsRef<str>>(lines: impl IntoIterator<Item = T>) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for line in lines {
        writeln!(out, "{}", visible(line.as_ref()))?;
    }
    out.flush()
}

/// The line that names what to do with a capture, as a shell takes it.
pub fn next_step(file: &str) -> String {
    format!("next: extrospect top {}", shell_word(file))
}

/// Prints an error or a warning beside the output, one line.
pub fn warn(message: &str) {
    // There is no reader left when stderr is closed.
    let _ = writeln!(io::stderr(), "extrospect: {}", visible(message));
}

/// True when stderr is a terminal that can write over a line.
pub fn is_watched() -> bool {
    io::stderr().is_terminal() && takes_escapes()
}

/// Whether a terminal understands escape sequences: an editor's shell window is `dumb`.
fn takes_escapes() -> bool {
    std::env::var_os("TERM").is_some_and(|term| !term.is_empty() && term != "dumb")
}

/// Writes over the last line of the terminal, which is not ended.
pub fn write_over(text: &str) {
    // Progress is a courtesy: a closed terminal must not end the capture.
    let _ = write!(io::stderr(), "\r\x1b[2K{}", visible(text));
}
