//! One side of a conversation, with threads: a reader and a writer that know nothing of connections, and
//! connections that come and go.

use std::io::{self, Read, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::ends::Ends;
use crate::frame::Frame;

/// Bytes sent and not confirmed; at this limit the writer waits.
const MAX_UNCONFIRMED_BYTES: usize = 16 << 20;
/// Bytes received and not taken; at this limit the connection is not read.
const MAX_ARRIVED_BYTES: usize = 1 << 20;

/// See the module. Clones are the same side.
#[derive(Debug, Clone)]
pub struct Link(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    /// How long the other side may take to come back.
    keep_for: Duration,
}

#[derive(Debug)]
struct State {
    ends: Ends,
    /// The connection that counts; those before it are no longer listened to.
    connection: u64,
    /// Since when there is none.
    lost_at: Option<Instant>,
    /// The position from which the current connection sends; `None` before the other side has sent
    /// hello.
    next: Option<u64>,
    /// The other side does not know yet how much has been received.
    confirmation_is_due: bool,
    /// Nothing more is received: the other side reported the end, or did not come back.
    is_over: bool,
    /// Nothing more is sent.
    is_closing: bool,
    sent_bye: bool,
}

impl Link {
    /// A link without a connection, which it can lack for `keep_for`.
    pub fn new(keep_for: Duration) -> Self {
        Self(Arc::new(Shared {
            state: Mutex::new(State {
                ends: Ends::default(),
                connection: 0,
                lost_at: Some(Instant::now()),
                next: None,
                confirmation_is_due: false,
                is_over: false,
                is_closing: false,
                sent_bye: false,
            }),
            changed: Condvar::new(),
            keep_for,
        }))
    }

    /// Goes on over this connection, in place of any other: one that was cut may look alive for long.
    /// The threads that serve a connection end with it, or with the process.
    ///
    /// # Errors
    /// When the threads cannot be started.
    pub fn connect(
        &self,
        input: impl Read + Send + 'static,
        output: impl Write + Send + 'static,
    ) -> io::Result<()> {
        let (connection, received) = {
            let mut state = self.lock();
            state.connection += 1;
            state.lost_at = None;
            state.next = None;
            state.confirmation_is_due = false;
            (state.connection, state.ends.received())
        };
        self.0.changed.notify_all();
        let begun = self.start("link-writer", {
            let link = self.clone();
            move || link.write_all(connection, received, output)
        });
        let begun = begun.and_then(|()| {
            let link = self.clone();
            self.start("link-reader", move || link.read_all(connection, input))
        });
        begun.inspect_err(|_| self.lose(connection))
    }

    /// The bytes of the other side, whatever connections carry them. Ends when it has sent its end, or has not come
    /// back in time.
    pub fn reader(&self) -> LinkReader {
        LinkReader(self.clone())
    }

    /// To the other side. Waits while too much is not confirmed.
    pub fn writer(&self) -> LinkWriter {
        LinkWriter(self.clone())
    }

    /// Whether nothing more comes: the other side reported the end, or has not come back.
    pub fn is_over(&self) -> bool {
        self.lock().is_over
    }

    /// Sends nothing more; returns when the connection has got all of it, there is none, or `patience` is over.
    pub fn close(&self, patience: Duration) {
        let mut state = self.lock();
        state.is_closing = true;
        self.0.changed.notify_all();
        let deadline = Instant::now() + patience;
        while !state.sent_bye && state.lost_at.is_none() {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            state = self.wait(state, left);
        }
    }

    fn start(&self, name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
        let thread = std::thread::Builder::new().name(name.to_owned());
        thread.spawn(work).map(drop)
    }

    fn read_all(&self, connection: u64, mut input: impl Read) {
        while let Ok(Some(frame)) = Frame::read(&mut input) {
            if !self.take(connection, frame) {
                return;
            }
        }
        self.lose(connection);
    }

    /// Whether the connection is to be read on.
    fn take(&self, connection: u64, frame: Frame) -> bool {
        let mut state = self.lock();
        while state.connection == connection
            && !state.is_over
            && state.ends.arrived_bytes() > MAX_ARRIVED_BYTES
        {
            state = self.wait(state, Duration::MAX);
        }
        if state.connection != connection {
            return false;
        }
        let makes_sense = match (frame, state.next) {
            (Frame::Hello { received }, None) => {
                state.next = Some(received);
                state.ends.confirm(received).is_ok()
            }
            (Frame::Data(bytes), Some(_)) => {
                state.ends.arrive(&bytes);
                state.confirmation_is_due = true;
                true
            }
            (Frame::Received(total), Some(next)) => {
                total <= next && state.ends.confirm(total).is_ok()
            }
            (Frame::Bye, _) => {
                state.is_over = true;
                true
            }
            _ => false,
        };
        drop(state);
        self.0.changed.notify_all();
        if !makes_sense {
            self.lose(connection);
        }
        makes_sense
    }

    fn write_all(&self, connection: u64, received: u64, mut output: impl Write) {
        let mut frame = Some(Frame::Hello { received });
        while let Some(next) = frame {
            let written = output
                .write_all(&next.encode())
                .and_then(|()| output.flush());
            if written.is_err() {
                self.lose(connection);
                return;
            }
            if next == Frame::Bye {
                self.lock().sent_bye = true;
                self.0.changed.notify_all();
                return;
            }
            frame = self.next_frame(connection);
        }
    }

    /// Waits for something to send; `None` when the connection does not count any longer.
    fn next_frame(&self, connection: u64) -> Option<Frame> {
        let mut state = self.lock();
        loop {
            if state.connection != connection || state.lost_at.is_some() {
                return None;
            }
            if let Some(next) = state.next {
                if state.confirmation_is_due {
                    state.confirmation_is_due = false;
                    return Some(Frame::Received(state.ends.received()));
                }
                let bytes = state.ends.sent_from(next);
                if !bytes.is_empty() {
                    state.next = Some(next + bytes.len() as u64);
                    return Some(Frame::Data(bytes));
                }
                if state.is_closing {
                    return Some(Frame::Bye);
                }
            }
            state = self.wait(state, Duration::MAX);
        }
    }

    fn lose(&self, connection: u64) {
        let mut state = self.lock();
        if state.connection == connection && state.lost_at.is_none() {
            state.lost_at = Some(Instant::now());
            drop(state);
            self.0.changed.notify_all();
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing panics while it holds the lock.
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>, most: Duration) -> MutexGuard<'a, State> {
        let waited = self.0.changed.wait_timeout(state, most);
        waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

/// See [`Link::reader`].
#[derive(Debug)]
pub struct LinkReader(Link);

impl Read for LinkReader {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let link = &self.0;
        let mut state = link.lock();
        loop {
            let count = state.ends.take(into);
            if count > 0 || state.is_over || into.is_empty() {
                drop(state);
                link.0.changed.notify_all();
                return Ok(count);
            }
            let left = state
                .lost_at
                .map(|lost_at| link.0.keep_for.saturating_sub(lost_at.elapsed()));
            if left == Some(Duration::ZERO) {
                state.is_over = true;
                continue;
            }
            state = link.wait(state, left.unwrap_or(Duration::MAX));
        }
    }
}

/// See [`Link::writer`].
#[derive(Debug)]
pub struct LinkWriter(Link);

impl Write for LinkWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let link = &self.0;
        let mut state = link.lock();
        loop {
            if state.is_over {
                return Err(io::ErrorKind::BrokenPipe.into());
            }
            let room = MAX_UNCONFIRMED_BYTES - state.ends.unconfirmed_bytes();
            if room > 0 || bytes.is_empty() {
                let count = room.min(bytes.len());
                state.ends.send(&bytes[..count]);
                drop(state);
                link.0.changed.notify_all();
                return Ok(count);
            }
            state = link.wait(state, Duration::MAX);
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
