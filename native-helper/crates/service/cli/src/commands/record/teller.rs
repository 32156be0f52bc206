//! The report of a capture in the background to the process that started it: one line, and then
//! nothing.

use std::fs::OpenOptions;
use std::io::{self, Write};

use diagnose::refusal::{Refusal, RefusalKind};
use profiling_service::detached::{BEGUN, DetachedName};
use protocol::error::ErrorData;
use protocol::message::texts;

/// The starting process waits at the other end of the output.
#[derive(Debug)]
pub struct Teller {
    /// Nothing was reported yet.
    pub is_waited_for: bool,
}

impl Teller {
    /// It samples. From here on no part of a terminal or a connection is held open.
    ///
    /// # Errors
    /// When no process waits any longer: it is not wanted, then.
    pub fn begun(&mut self, name: &DetachedName) -> Result<(), Refusal> {
        let written = write_line(BEGUN);
        written
            .and_then(|()| let_go_of_streams())
            .map_err(|error| {
                let what = texts::DETACHED_NOT_STARTED.with(&[("name", name), ("detail", &error)]);
                Refusal::new(RefusalKind::Other, what, texts::TO_SEE_WHY.text())
            })?;
        self.is_waited_for = false;
        Ok(())
    }

    /// It does not sample: why.
    ///
    /// # Errors
    /// When no process listens.
    pub fn failed(&self, problem: &ErrorData) -> io::Result<()> {
        write_line(&serde_json::to_string(problem).map_err(io::Error::other)?)
    }
}

fn write_line(line: &str) -> io::Result<()> {
    let mut out = io::stdout();
    writeln!(out, "{line}")?;
    out.flush()
}

/// Output and complaints go nowhere; there was no input from the start.
fn let_go_of_streams() -> io::Result<()> {
    let nowhere = OpenOptions::new().write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdout(&nowhere)?;
    rustix::stdio::dup2_stderr(&nowhere)?;
    Ok(())
}
