//! One line on a terminal that is written over until it is done.

use std::io::{IsTerminal, Write};

/// A progress line; silent when stderr is no terminal.
#[derive(Debug)]
pub struct ProgressLine {
    shown: bool,
    is_terminal: bool,
}

impl ProgressLine {
    /// A line that is not shown yet.
    pub fn new() -> Self {
        let forced = std::env::var_os("EXTROSPECT_PROGRESS").is_some();
        Self {
            shown: false,
            is_terminal: forced || std::io::stderr().is_terminal(),
        }
    }

    /// Shows `text` in place of what was shown before.
    pub fn show(&mut self, text: &str) {
        if self.is_terminal {
            self.shown = true;
            // Progress is a courtesy: a closed terminal must not end the capture.
            let _ = write!(std::io::stderr(), "\r\x1b[2K{text}");
        }
    }

    /// Takes the line away.
    pub fn clear(&mut self) {
        if self.shown {
            let _ = write!(std::io::stderr(), "\r\x1b[2K");
            self.shown = false;
        }
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        self.clear();
    }
}
