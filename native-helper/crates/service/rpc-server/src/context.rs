//! The objects that a handler gets besides its parameters: for cancellation, for reports of
//! progress, for the log.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use protocol::lifecycle::{
    LogMessageParams, LogTraceParams, MessageType, NumberOrString, ProgressParams, TraceValue,
    WorkDoneProgress,
};
use protocol::method::{LogMessage, LogTrace, Notification, Progress as ProgressNotification};
use serde::Serialize;

use crate::body::notification;
use crate::failure::Failure;
use crate::outgoing::OutgoingQueue;

/// Whether a request is still wanted. Clones are the same flag.
#[derive(Debug, Clone, Default)]
pub struct Cancellation(Arc<AtomicBool>);

impl Cancellation {
    /// Whether the client no longer waits.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// For `?` at the places where a handler can give up.
    pub fn check(&self) -> Result<(), Failure> {
        if self.is_cancelled() {
            Err(Failure::cancelled())
        } else {
            Ok(())
        }
    }

    /// The client no longer waits.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Reports the progress of a request to the client, if it wants that. Lines are dropped when the
/// client does not read.
#[derive(Debug)]
pub struct Progress {
    token: Option<NumberOrString>,
    begun: AtomicBool,
    queue: Arc<OutgoingQueue>,
}

impl Progress {
    pub(crate) fn new(token: Option<NumberOrString>, queue: Arc<OutgoingQueue>) -> Self {
        Self {
            token,
            begun: AtomicBool::new(false),
            queue,
        }
    }

    /// Reports the current step, and how much of it is done (0 to 100) if that is known. The first
    /// report begins the progress; the server ends it before the answer.
    pub fn report(&self, message: &str, percentage: Option<u8>) {
        if !self.begun.swap(true, Ordering::Relaxed) {
            self.send(WorkDoneProgress::Begin {
                title: message.to_owned(),
            });
        }
        let percentage = percentage.map(|percentage| percentage.min(100));
        self.send(WorkDoneProgress::Report {
            message: message.to_owned(),
            percentage,
        });
    }

    pub(crate) fn end(&self) {
        if self.begun.swap(false, Ordering::Relaxed) {
            self.send(WorkDoneProgress::End {});
        }
    }

    fn send(&self, value: WorkDoneProgress) {
        let Some(token) = self.token.clone() else {
            return;
        };
        push::<ProgressNotification>(&self.queue, &ProgressParams { token, value });
    }
}

/// Writes to the client's log. Clones are the same log. Lines are dropped when the client does not
/// read.
#[derive(Debug, Clone)]
pub struct Log {
    queue: Arc<OutgoingQueue>,
    trace: Arc<AtomicU8>,
}

impl Log {
    pub(crate) fn new(queue: Arc<OutgoingQueue>) -> Self {
        Self {
            queue,
            trace: Arc::default(),
        }
    }

    pub(crate) fn set_trace(&self, value: TraceValue) {
        self.trace.store(value as u8, Ordering::Relaxed);
    }

    /// Something did not work.
    pub fn error(&self, message: impl Into<String>) {
        self.message(MessageType::Error, message.into());
    }

    /// Something may surprise.
    pub fn warning(&self, message: impl Into<String>) {
        self.message(MessageType::Warning, message.into());
    }

    /// Good to know.
    pub fn info(&self, message: impl Into<String>) {
        self.message(MessageType::Info, message.into());
    }

    /// A detail of the helper's own work, sent when the client requested `messages`.
    pub fn trace(&self, message: impl Into<String>) {
        self.trace_at(TraceValue::Messages, message);
    }

    fn trace_at(&self, least: TraceValue, message: impl Into<String>) {
        if self.trace.load(Ordering::Relaxed) >= least as u8 {
            let message = message.into();
            push::<LogTrace>(&self.queue, &LogTraceParams { message });
        }
    }

    fn message(&self, message_type: MessageType, message: String) {
        let params = LogMessageParams {
            message_type,
            message,
        };
        push::<LogMessage>(&self.queue, &params);
    }
}

fn push<N: Notification>(queue: &OutgoingQueue, params: &N::Params)
where
    N::Params: Serialize,
{
    if let Ok(line) = notification::<N>(params) {
        queue.push_line(line);
    }
}

/// What a handler gets besides its parameters.
#[derive(Debug)]
pub struct RequestContext {
    /// Whether the answer is still wanted: to be looked at every few milliseconds of work.
    pub cancellation: Cancellation,
    /// Where to report progress.
    pub progress: Progress,
    /// Where to log.
    pub log: Log,
}
