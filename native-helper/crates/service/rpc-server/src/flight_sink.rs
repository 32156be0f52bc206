//! Reports a flight recorder to the client, without ever waiting for it.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use protocol::flight::{
    FlightEndReason, FlightEndedParams, FlightLookedParams, FlightWrittenParams,
};
use protocol::method::{FlightEnded, FlightLooked, FlightWritten, Notification};
use serde::Serialize;

use crate::body::{Json, notification};
use crate::failure::Failure;
use crate::outgoing::OutgoingQueue;

/// Given to [`crate::Backend::start_flight`]; clones report on the same one. No method waits for the client.
#[derive(Debug, Clone)]
pub struct FlightSink {
    flight_id: u32,
    last_capture_id: Arc<AtomicU32>,
    queue: Arc<OutgoingQueue>,
    delivery: Arc<Mutex<Delivery>>,
}

#[derive(Debug, Default)]
struct Delivery {
    /// The client has the answer to `extrospect/flight/start`: before that it could make nothing of events.
    announced: bool,
    /// It never began, or its end was reported: nothing more may come.
    over: bool,
    /// Events before it was announced: files alone, and the end.
    held: Vec<Json>,
}

impl FlightSink {
    pub(crate) fn new(
        flight_id: u32,
        last_capture_id: Arc<AtomicU32>,
        queue: Arc<OutgoingQueue>,
    ) -> Self {
        Self {
            flight_id,
            last_capture_id,
            queue,
            delivery: Arc::default(),
        }
    }

    /// As the client will name it in `extrospect/flight/stop`.
    pub fn flight_id(&self) -> u32 {
        self.flight_id
    }

    /// An id for a file, as captures of this conversation have them.
    pub fn new_capture_id(&self) -> u32 {
        next_id(&self.last_capture_id)
    }

    /// Reports the current observations. A client that does not read misses some of that.
    pub fn looked(&self, looked: &FlightLookedParams) {
        let delivery = self.lock();
        if delivery.announced
            && !delivery.over
            && let Ok(line) = notification::<FlightLooked>(looked)
        {
            self.queue.push_line(line);
        }
    }

    /// Reports a complete file.
    pub fn written(&self, written: &FlightWrittenParams) {
        let mut delivery = self.lock();
        if !delivery.over {
            self.deliver::<FlightWritten>(&mut delivery, written);
        }
    }

    /// Reports that it is over; `problem` is the error, if there was one. Only the first call counts. Returns what
    /// `extrospect/flight/stop` answers.
    pub fn ended(
        &self,
        reason: FlightEndReason,
        problem: Option<&Failure>,
        (files, failed): (u32, u32),
    ) -> FlightEndedParams {
        let ended = FlightEndedParams {
            flight_id: self.flight_id,
            reason,
            problem: problem.map(Failure::data),
            files,
            failed,
        };
        let mut delivery = self.lock();
        if !delivery.over {
            delivery.over = true;
            self.deliver::<FlightEnded>(&mut delivery, &ended);
        }
        ended
    }

    /// The client has the answer: events may follow.
    pub(crate) fn announce(&self) {
        let mut delivery = self.lock();
        delivery.announced = true;
        for event in std::mem::take(&mut delivery.held) {
            self.queue.push_capture_event(event);
        }
    }

    /// It did not begin, so there is nothing to report.
    pub(crate) fn discard(&self) {
        let mut delivery = self.lock();
        delivery.over = true;
        delivery.held.clear();
    }

    fn deliver<N: Notification>(&self, delivery: &mut Delivery, params: &N::Params)
    where
        N::Params: Serialize,
    {
        let Ok(event) = notification::<N>(params) else {
            return;
        };
        match delivery.announced {
            true => self.queue.push_capture_event(event),
            false => delivery.held.push(event),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Delivery> {
        // Nothing panics while it holds the lock.
        self.delivery.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(crate) fn next_id(last: &AtomicU32) -> u32 {
    last.fetch_add(1, Ordering::Relaxed).wrapping_add(1)
}
