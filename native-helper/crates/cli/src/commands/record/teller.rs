//! What a capture in the background says to whoever started it: one line, and then nothing for ever.

use std::fs::OpenOptions;
use std::io::{self, Write};

use diagnose::refusal::{Refusal, RefusalKind};
use profiling_service::detached::Report;
use protocol::detached::DetachedCapture;
use protocol::message::texts;

/// Whoever started it waits at the other end of our output.
#[derive(Debug)]
pub struct Teller {
    /// Nothing was said yet.
    pub is_waited_for: bool,
}

impl Teller {
    /// It samples. From here on nothing of a terminal or a connection is held open.
    ///
    /// # Errors
    /// When nobody waits any more: it is not wanted, then.
    pub fn begun(&mut self, capture: DetachedCapture) -> Result<(), Refusal> {
        let name = capture.name.clone();
        let told = self.tell(&Report::Begun(capture));
        told.and_then(|()| let_go_of_streams()).map_err(|error| {
            let what = texts::DETACHED_NOT_STARTED.with(&[("name", &name), ("detail", &error)]);
            Refusal::new(RefusalKind::Other, what, texts::TO_TRY_LATER.text())
        })?;
        self.is_waited_for = false;
        Ok(())
    }

    /// Says it.
    ///
    /// # Errors
    /// When nobody listens.
    pub fn tell(&self, report: &Report) -> io::Result<()> {
        let line = serde_json::to_string(report).map_err(io::Error::other)?;
        let mut out = io::stdout();
        writeln!(out, "{line}")?;
        out.flush()
    }
}

/// Output and complaints go nowhere; there was no input from the start.
fn let_go_of_streams() -> io::Result<()> {
    let nowhere = OpenOptions::new().write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdout(&nowhere)?;
    rustix::stdio::dup2_stderr(&nowhere)?;
    Ok(())
}
