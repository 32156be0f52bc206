//! Reports a running capture to the client, without ever waiting for it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use capture::quality::QualityRecord;
use protocol::method::{CaptureEnded, CaptureResync, Notification};
use protocol::recording::{CaptureEndReason, CaptureEndedParams, CaptureResyncParams};
use retry::Retry;
use serde::Serialize;

use crate::body::notification;
use crate::failure::Failure;
use crate::outgoing::{Increment, OutgoingQueue};

/// Given to [`crate::Backend::start_capture`]; clones report on the same capture. No method waits
/// for the client, whatever it does.
#[derive(Debug, Clone)]
pub struct CaptureSink {
    capture_id: u32,
    streamed: bool,
    queue: Arc<OutgoingQueue>,
    stream: Arc<Mutex<Stream>>,
}

#[derive(Debug, Default)]
struct Stream {
    /// The client knows of the capture: before that it could not use its events.
    announced: bool,
    /// The capture never started, or its end was reported: nothing more may come.
    over: bool,
    file: String,
    next_sequence: u64,
    left_out: LeftOut,
    /// Came before the capture was announced.
    held_end: Option<CaptureEndedParams>,
}

/// Increments that went to the file only.
#[derive(Debug, Default)]
struct LeftOut {
    increments: u64,
    file_bytes: u64,
}

impl CaptureSink {
    pub(crate) fn new(capture_id: u32, streamed: bool, queue: Arc<OutgoingQueue>) -> Self {
        Self {
            capture_id,
            streamed,
            queue,
            stream: Arc::default(),
        }
    }

    /// The capture's id, as the client will name it in `extrospect/capture/stop`.
    pub fn capture_id(&self) -> u32 {
        self.capture_id
    }

    /// Waits until the client has the answer to `extrospect/capture/start`, for `patience` at most.
    /// Reports before that go to the file only, and cost the client a resync.
    pub fn wait_for_answer(&self, patience: Duration) {
        Retry::within(patience, Duration::from_millis(1)).until(|| {
            let stream = self.lock();
            stream.announced || stream.over
        });
    }

    /// Reports `gzip`, whole gzip members, after they were appended to the capture file, which is
    /// `file_bytes` long now.
    pub fn increment(&self, gzip: Vec<u8>, file_bytes: u64, quality: QualityRecord) {
        let mut stream = self.lock();
        let sequence = stream.next_sequence;
        stream.next_sequence += 1;
        if !self.streamed || stream.over {
            return;
        }
        if !stream.announced || !self.queue.has_room_for(gzip.len()) {
            stream.left_out.increments += 1;
            stream.left_out.file_bytes = file_bytes;
            return;
        }
        self.resync(&mut stream, sequence);
        let capture_id = self.capture_id;
        self.queue.push_increment(Increment {
            capture_id,
            sequence,
            gzip,
            file_bytes,
            quality,
        });
    }

    /// Reports that the capture is over and its file complete; `problem` is the error, if there was
    /// one. Only the first call counts. Returns what `extrospect/capture/stop` answers.
    pub fn ended(
        &self,
        reason: CaptureEndReason,
        problem: Option<&Failure>,
        file: impl Into<String>,
        quality: QualityRecord,
    ) -> CaptureEndedParams {
        let ended = CaptureEndedParams {
            capture_id: self.capture_id,
            reason,
            problem: problem.map(Failure::data),
            file: file.into(),
            quality,
        };
        let mut stream = self.lock();
        if !stream.over {
            stream.over = true;
            stream.held_end = Some(ended.clone());
            if stream.announced {
                self.send_end(&mut stream);
            }
        }
        ended
    }

    /// The client has the answer to `extrospect/capture/start`: events may follow.
    pub(crate) fn announce(&self, file: &str) {
        let mut stream = self.lock();
        stream.announced = true;
        stream.file = file.to_owned();
        self.send_end(&mut stream);
    }

    /// The capture did not start, so there is nothing to report.
    pub(crate) fn discard(&self) {
        self.lock().over = true;
    }

    fn send_end(&self, stream: &mut Stream) {
        if let Some(ended) = stream.held_end.take() {
            let next_sequence = stream.next_sequence;
            self.resync(stream, next_sequence);
            push::<CaptureEnded>(&self.queue, &ended);
        }
    }

    fn resync(&self, stream: &mut Stream, next_sequence: u64) {
        let left_out = std::mem::take(&mut stream.left_out);
        if left_out.increments > 0 {
            let resync = CaptureResyncParams {
                capture_id: self.capture_id,
                file: stream.file.clone(),
                file_bytes: left_out.file_bytes,
                dropped_increments: left_out.increments,
                next_sequence,
            };
            push::<CaptureResync>(&self.queue, &resync);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Stream> {
        // Nothing panics while it holds the lock.
        self.stream.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn push<N: Notification>(queue: &OutgoingQueue, params: &N::Params)
where
    N::Params: Serialize,
{
    if let Ok(event) = notification::<N>(params) {
        queue.push_capture_event(event);
    }
}
