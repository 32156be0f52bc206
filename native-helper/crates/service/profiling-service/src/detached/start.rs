//! Starting a detached capture: another process, which reports in one line whether it records.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use diagnose::refusal::Refusal;
use protocol::detached::DetachedCapture;
use protocol::error::ErrorData;
use rustix::process::{Pid, Signal, kill_process};
use shared_channel::{Sender, sync_channel};

use super::listing::Detached;
use super::name::DetachedName;
use super::trouble::{not_started, unreadable};

/// Bytes of that line.
const MAX_REPORT_BYTES: u64 = 64 << 10;
const CANCEL_INTERVAL: Duration = Duration::from_millis(50);
/// How long one that is cancelled may take to end: a command that counts work may hold it.
const END_PATIENCE: Duration = Duration::from_secs(5);

/// The line that it prints when it samples; else it prints the reason as error data.
pub const BEGUN: &str = "begun";

/// The line that it has printed.
enum Report {
    /// It samples.
    Begun,
    /// It does not, and nothing is left of it.
    Failed(ErrorData),
}

impl Report {
    fn read(line: &[u8]) -> Option<Self> {
        match line.trim_ascii_end() == BEGUN.as_bytes() {
            true => Some(Self::Begun),
            false => named_members::from_slice(line).ok().map(Self::Failed),
        }
    }
}

/// Runs `command`, which records `name` in a session of its own, until it samples.
///
/// # Errors
/// The reason why it does not. A start that is cancelled ends the capture as soon as it has begun,
/// and removes it.
pub fn start(
    mut command: Command,
    name: &DetachedName,
    cancelled: &dyn Fn() -> bool,
) -> Result<DetachedCapture, Box<ErrorData>> {
    let is_taken = Detached::open(name.clone()).is_ok();
    let spawned = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
    let failed = |why: &dyn std::fmt::Display| Box::new(not_started(name, why).data());
    let mut recorder = spawned.map_err(|error| failed(&error))?;
    let output = recorder
        .stdout
        .take()
        .ok_or_else(|| failed(&"it has no output"))?;
    let (sender, reports) = sync_channel(0);
    let own_name = name.clone();
    let pid = Pid::from_child(&recorder);
    let mut given_up: Option<Instant> = None;
    let listening = std::thread::Builder::new()
        .name("detached-start".to_owned())
        .spawn(move || listen(recorder, output, &sender, own_name));
    listening.map_err(|error| failed(&error))?;
    loop {
        match reports.recv_timeout(CANCEL_INTERVAL) {
            Ok(Some(Report::Begun)) if cancelled() => {
                // The client does not know this capture: it must not continue.
                let _ = end_and_remove(name.clone());
                return Err(failed(&"it was cancelled"));
            }
            Ok(Some(Report::Begun)) => {
                return row(name.clone()).map_err(|refusal| Box::new(refusal.data()));
            }
            Ok(Some(Report::Failed(problem))) => return Err(Box::new(problem)),
            Ok(None) | Err(RecvTimeoutError::Disconnected) if given_up.is_some() => {
                // An earlier capture with that name must stay.
                if !is_taken {
                    let _ = Detached::open(name.clone()).and_then(Detached::remove);
                }
                return Err(failed(&"it was cancelled"));
            }
            Ok(None) | Err(RecvTimeoutError::Disconnected) => {
                return Err(failed(&"it printed nothing"));
            }
            Err(RecvTimeoutError::Timeout) if cancelled() => match given_up {
                // The listening thread waits for its end, so that the process id still is its own.
                None => {
                    let _ = kill_process(pid, Signal::TERM);
                    given_up = Some(Instant::now());
                }
                Some(since) if since.elapsed() > END_PATIENCE => {
                    return Err(failed(&"it was cancelled"));
                }
                Some(_) => {}
            },
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

/// Forwards the report. Waits for the end of the process, too: otherwise it stays in the list of processes.
fn listen(
    mut recorder: Child,
    output: ChildStdout,
    sender: &Sender<Option<Report>>,
    name: DetachedName,
) {
    let mut line = Vec::new();
    let mut bounded = BufReader::new(output.take(MAX_REPORT_BYTES));
    // A line that breaks off is no report.
    let _ = bounded.read_until(b'\n', &mut line);
    let report = Report::read(&line);
    let has_begun = matches!(report, Some(Report::Begun));
    if sender.send(report).is_err() && has_begun {
        // The client does not know this capture: it must not continue.
        let _ = end_and_remove(name);
    }
    let _ = recorder.wait();
}

fn row(name: DetachedName) -> Result<DetachedCapture, Refusal> {
    let found = Detached::open(name.clone())?.row();
    found.map_err(|error| unreadable(&name, &error))
}

fn end_and_remove(name: DetachedName) -> Result<(), Refusal> {
    let capture = Detached::open(name)?;
    capture.stop(&|| false)?;
    capture.remove()
}
