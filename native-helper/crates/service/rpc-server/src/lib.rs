//! The server side of `docs/protocol.md`: JSON-RPC in the Language Server Protocol's framing and
//! lifecycle, over any pair of streams, in front of a [`Backend`].
//!
//! Threads: one reads and hands out, one writes, and each request is worked on by one of its own.
//! A capture's threads only ever put something into a bounded queue, so a client that reads slowly
//! or not at all cannot hold up a capture.

mod backend;
mod body;
mod capture_sink;
mod context;
mod failure;
mod flight_sink;
pub mod frame;
mod in_flight;
pub mod message;
mod outgoing;
pub mod params;
mod session;
mod writer;

use std::io::{self, BufRead, Write};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use protocol::error::PARSE_ERROR;

pub use crate::backend::{Backend, StartedCapture};
pub use crate::capture_sink::CaptureSink;
pub use crate::context::{Cancellation, Log, Progress, RequestContext};
pub use crate::failure::{Failure, FailureKind};
pub use crate::flight_sink::FlightSink;
pub use crate::outgoing::QueueLimits;

use crate::frame::{Frame, FrameReader};
use crate::message::Invalid;
use crate::outgoing::{EndSignal, OutgoingQueue};
use crate::session::{Next, Session};

/// How long requests may take to notice that they are cancelled, at the end.
const WORK_PATIENCE: Duration = Duration::from_secs(5);
/// How long the client may take to read the remaining messages, at the end.
const WRITE_PATIENCE: Duration = Duration::from_secs(2);

/// How the conversation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitStatus {
    /// The client sent `shutdown` before.
    Clean,
    /// It did not.
    WithoutShutdown,
}

impl ExitStatus {
    /// Exit code of the process.
    pub fn code(self) -> u8 {
        match self {
            Self::Clean => 0,
            Self::WithoutShutdown => 1,
        }
    }
}

/// Serves one client until it sends `exit`, `input` ends, or `output` cannot be written any more. Then ends every
/// capture by [`Backend::close`] and returns.
///
/// For the process's own streams give `BufReader::new(io::stdin())` and `io::stdout()`. Both
/// streams are moved to threads of their own, and a thread that is blocked in a stream when the
/// conversation ends is left behind: the caller is expected to exit soon.
///
/// # Errors
/// When the two threads cannot be started.
pub fn serve(
    input: impl BufRead + Send + 'static,
    output: impl Write + Send + 'static,
    backend: Arc<dyn Backend>,
) -> io::Result<ExitStatus> {
    serve_with_limits(input, output, backend, QueueLimits::default())
}

/// As [`serve`], with another bound on the messages that may wait for the client.
///
/// # Errors
/// When the two threads cannot be started.
pub fn serve_with_limits(
    input: impl BufRead + Send + 'static,
    output: impl Write + Send + 'static,
    backend: Arc<dyn Backend>,
    limits: QueueLimits,
) -> io::Result<ExitStatus> {
    let queue = Arc::new(OutgoingQueue::new(limits));
    let session = Arc::new(Session::new(backend, Arc::clone(&queue)));
    let (writer_done, writer_end) = mpsc::channel::<()>();

    let reader_session = Arc::clone(&session);
    let input_ended = EndSignal(Arc::clone(&queue));
    std::thread::Builder::new()
        .name("rpc-reader".to_owned())
        .spawn(move || {
            read_all(input, &reader_session);
            drop(input_ended);
        })?;
    let writer_queue = Arc::clone(&queue);
    let output_ended = EndSignal(Arc::clone(&queue));
    std::thread::Builder::new()
        .name("rpc-writer".to_owned())
        .spawn(move || {
            // An error means that no client reads; there is no receiver for it.
            let _ = writer::write_all(&writer_queue, output);
            writer_queue.close();
            drop(output_ended);
            let _ = writer_done.send(());
        })?;

    queue.wait_for_end();
    session.end(WORK_PATIENCE);
    queue.close();
    let _ = writer_end.recv_timeout(WRITE_PATIENCE);
    Ok(if session.was_shut_down() {
        ExitStatus::Clean
    } else {
        ExitStatus::WithoutShutdown
    })
}

fn read_all(input: impl BufRead, session: &Arc<Session>) {
    let mut frames = FrameReader::new(input);
    loop {
        let (next, error) = match frames.next_frame() {
            Frame::Body(body) => (session.take(&body), None),
            Frame::Rejected(error) => (Next::Read, Some(error)),
            Frame::End(error) => (Next::Exit, error),
        };
        if let Some(error) = error {
            session.refuse(Invalid {
                code: PARSE_ERROR,
                id: None,
                why: error.to_string(),
            });
        }
        if next == Next::Exit {
            return;
        }
    }
}
