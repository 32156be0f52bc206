//! What people read: the one place that writes text to stdout and stderr. JSON and exported files
//! go their own ways; their formats escape what has to be escaped.
//!
//! Text of a target is hostile to a terminal too (see [`capture::visible`]), and nobody can be sure
//! which part of a line came from one. So each line is made visible as a whole: a line break in a
//! name does not end the line either.

pub mod screen;

use std::io::{self, IsTerminal, Write};

use capture::visible::visible;

/// Prints a line. Whoever read our output may be gone by the end of a capture: that is an error to
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

/// Says something beside the output: an error or a warning, one line.
pub fn warn(message: &str) {
    // There is nobody left to tell when stderr is closed.
    let _ = writeln!(io::stderr(), "extrospect: {}", visible(message));
}

/// True when somebody watches what is written to stderr.
pub fn is_watched() -> bool {
    io::stderr().is_terminal()
}

/// Writes over the last line of the terminal, which is not ended.
pub fn write_over(text: &str) {
    // Progress is a courtesy: a closed terminal must not end the capture.
    let _ = write!(io::stderr(), "\r\x1b[2K{}", visible(text));
}
