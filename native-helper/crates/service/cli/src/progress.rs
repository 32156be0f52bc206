//! One line on a terminal that is written over until it is done.

use crate::terminal;

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
            is_terminal: forced || terminal::is_watched(),
        }
    }

    /// Shows `text` in place of the previous one.
    pub fn show(&mut self, text: &str) {
        if self.is_terminal {
            self.shown = true;
            terminal::write_over(text);
        }
    }

    /// Takes the line away.
    pub fn clear(&mut self) {
        if self.shown {
            terminal::write_over("");
            self.shown = false;
        }
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        self.clear();
    }
}
