//! `serve`: the editor's side door.

use std::io::{self, BufReader};
use std::sync::Arc;
use std::time::Duration;

use profiling_service::HelperBackend;
use profiling_service::state_folder::session_folder;
use resumable_link::door::{Door, SessionName, come_back};
use resumable_link::link::Link;
use resumable_link::relay;
use rpc_server::ExitStatus;

use crate::arguments::Serve;
use crate::attaching::OWN_PROGRAM;
use crate::failure::Failure;
use crate::terminal;

/// How long the connection may take to get the last words.
const LAST_WORDS_PATIENCE: Duration = Duration::from_secs(2);
/// The exit code of `serve --resume` when no session waits.
const NOBODY_WAITS: i32 = 1;

/// Runs `serve`; ends the process when the conversation ends.
pub fn run(arguments: &Serve) -> Result<(), Failure> {
    let code = match (&arguments.session, &arguments.resume) {
        (None, None) => code_of(serve(io::stdin(), io::stdout())?),
        (_, Some(name)) => resume(name)?,
        (Some(name), None) => {
            let keep_for = Duration::from_secs(arguments.keep_for.into());
            code_of(hold(name, keep_for)?)
        }
    };
    // A thread may still be blocked in stdin, so there is no going back to `main`.
    std::process::exit(code)
}

fn serve(
    input: impl io::Read + Send + 'static,
    output: impl io::Write + Send + 'static,
) -> io::Result<ExitStatus> {
    let backend = Arc::new(HelperBackend::new(OWN_PROGRAM.into()));
    rpc_server::serve(BufReader::new(input), output, backend)
}

/// Serves over connections that may be cut, of which this process's own streams are the first.
fn hold(name: &SessionName, keep_for: Duration) -> io::Result<ExitStatus> {
    let mut link = Link::new(keep_for);
    let door = session_folder().and_then(|folder| Door::open(&folder, name, link.clone()));
    if let Err(error) = &door {
        terminal::warn(&format!("a cut connection will end this helper: {error}"));
        link = Link::new(Duration::ZERO);
    }
    link.connect(io::stdin(), io::stdout())?;
    let status = serve(link.reader(), link.writer());
    link.close(LAST_WORDS_PATIENCE);
    if let Ok(door) = door {
        door.close();
    }
    status
}

/// Carries bytes between this process's streams and the one that holds the conversation.
fn resume(name: &SessionName) -> io::Result<i32> {
    match session_folder().and_then(|folder| come_back(&folder, name)) {
        Ok(holder) => {
            relay::relay(io::stdin(), io::stdout(), holder)?;
            Ok(0)
        }
        Err(_) => {
            relay::nobody_waits(io::stdout())?;
            Ok(NOBODY_WAITS)
        }
    }
}

fn code_of(status: ExitStatus) -> i32 {
    i32::from(status.code())
}
