//! The bounded queue between every sender of messages and the one thread that writes.
//!
//! Three sorts of message wait here. Replies are never dropped: a sender of one waits for room, and
//! a client that leaves no room for [`PATIENCE`] counts as disconnected. Increments are dropped
//! when there is no room; a resync then repairs their capture's stream. Log and progress lines are
//! dropped when there is no room.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::body::Json;

/// Replies that may wait.
const MAX_REPLIES: usize = 256;
/// Log and progress lines that may wait.
const MAX_LINES: usize = 256;
/// How long a client may leave no room for a reply.
const PATIENCE: Duration = Duration::from_secs(10);

/// How much may wait before increments are dropped.
#[derive(Debug, Clone, Copy)]
pub struct QueueLimits {
    /// Gzip bytes of increments. One increment is taken into an empty queue whatever its size.
    pub increment_bytes: usize,
}

impl Default for QueueLimits {
    fn default() -> Self {
        Self {
            increment_bytes: 8 * 1024 * 1024,
        }
    }
}

/// Something to write.
#[derive(Debug)]
pub(crate) enum Outgoing {
    /// A whole body.
    Message(Json),
    /// Turned into base64 by the writer, to keep that off the capture's threads.
    Increment(Box<Increment>),
}

#[derive(Debug)]
pub(crate) struct Increment {
    pub capture_id: u32,
    pub sequence: u64,
    pub gzip: Vec<u8>,
    pub file_bytes: u64,
    pub quality: capture::quality::QualityRecord,
}

/// Which bound a waiting message counts for.
#[derive(Debug, Clone, Copy)]
enum BoundedBy {
    Reply,
    Line,
    Increment(usize),
    /// Few by nature: at most a handful for each capture.
    CaptureEvent,
}

#[derive(Debug, Default)]
struct Waiting {
    messages: VecDeque<(BoundedBy, Outgoing)>,
    replies: usize,
    lines: usize,
    increment_bytes: usize,
    closed: bool,
    ended: bool,
}

/// Signals the end of the conversation when dropped, so that a thread cannot end unnoticed.
#[derive(Debug)]
pub(crate) struct EndSignal(pub std::sync::Arc<OutgoingQueue>);

impl Drop for EndSignal {
    fn drop(&mut self) {
        self.0.signal_end();
    }
}

/// The queue. Every method may be called from any thread.
#[derive(Debug)]
pub(crate) struct OutgoingQueue {
    waiting: Mutex<Waiting>,
    changed: Condvar,
    limits: QueueLimits,
}

impl OutgoingQueue {
    pub fn new(limits: QueueLimits) -> Self {
        Self {
            waiting: Mutex::default(),
            changed: Condvar::new(),
            limits,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        // Nothing panics while it holds the lock, and every state in between would do.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for room; closes the queue when there is none for too long.
    pub fn push_reply(&self, reply: Json) {
        let deadline = Instant::now() + PATIENCE;
        let mut waiting = self.lock();
        while waiting.replies >= MAX_REPLIES && !waiting.closed {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                waiting.closed = true;
                waiting.ended = true;
                break;
            }
            waiting = self
                .changed
                .wait_timeout(waiting, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
        self.push_locked(waiting, BoundedBy::Reply, Outgoing::Message(reply));
    }

    /// Drops the line when there is no room.
    pub fn push_line(&self, line: Json) {
        let waiting = self.lock();
        if waiting.lines < MAX_LINES {
            self.push_locked(waiting, BoundedBy::Line, Outgoing::Message(line));
        }
    }

    /// Never waits, never drops.
    pub fn push_capture_event(&self, event: Json) {
        self.push_locked(
            self.lock(),
            BoundedBy::CaptureEvent,
            Outgoing::Message(event),
        );
    }

    /// Whether an increment of that size would be taken now.
    pub fn has_room_for(&self, gzip_bytes: usize) -> bool {
        let queued_bytes = self.lock().increment_bytes;
        queued_bytes == 0 || queued_bytes + gzip_bytes <= self.limits.increment_bytes
    }

    /// Never waits; call [`Self::has_room_for`] before. When two captures call it at once both may
    /// get in, which the bound can bear.
    pub fn push_increment(&self, increment: Increment) {
        let bound = BoundedBy::Increment(increment.gzip.len());
        self.push_locked(self.lock(), bound, Outgoing::Increment(Box::new(increment)));
    }

    fn push_locked(
        &self,
        mut waiting: MutexGuard<'_, Waiting>,
        bound: BoundedBy,
        message: Outgoing,
    ) {
        if !waiting.closed {
            match bound {
                BoundedBy::Reply => waiting.replies += 1,
                BoundedBy::Line => waiting.lines += 1,
                BoundedBy::Increment(bytes) => waiting.increment_bytes += bytes,
                BoundedBy::CaptureEvent => {}
            }
            waiting.messages.push_back((bound, message));
        }
        self.changed.notify_all();
    }

    /// The next message; waits for one. None when the queue is closed and empty.
    pub fn pop(&self) -> Option<Outgoing> {
        let mut waiting = self.lock();
        loop {
            if let Some((bound, message)) = waiting.messages.pop_front() {
                match bound {
                    BoundedBy::Reply => waiting.replies -= 1,
                    BoundedBy::Line => waiting.lines -= 1,
                    BoundedBy::Increment(bytes) => waiting.increment_bytes -= bytes,
                    BoundedBy::CaptureEvent => {}
                }
                self.changed.notify_all();
                return Some(message);
            }
            if waiting.closed {
                return None;
            }
            waiting = self
                .changed
                .wait(waiting)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The conversation is to end; the queue still takes the messages of the end.
    fn signal_end(&self) {
        self.lock().ended = true;
        self.changed.notify_all();
    }

    /// Waits until an [`EndSignal`] is dropped, or a client that does not read is given up.
    pub fn wait_for_end(&self) {
        let waiting = self.lock();
        let _guard = self.changed.wait_while(waiting, |waiting| !waiting.ended);
    }

    /// Takes nothing more; messages that wait are still written.
    pub fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }
}
