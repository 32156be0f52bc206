//! The events of all threads of the target, as threads come and go.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use bpf_engine::{BpfEngine, Trigger};
use capture::quality::{SamplingGaps, ThreadsReason};
use perf_ring::{Event, EventSettings, OpenError, Ring, Scope};

use crate::error::RecordError;

/// How long to wait until threads that were refused are tried again.
const RETRY_INTERVAL: Duration = Duration::from_secs(1);

/// Open events by thread, and the threads that have none.
#[derive(Debug, Default)]
pub(crate) struct ThreadEvents {
    events: HashMap<u32, Vec<Event>>,
    /// Threads that could not be opened, and when that was tried last.
    refused: HashMap<u32, Instant>,
    refused_count: u64,
    last_refusal: Option<RecordError>,
}

impl ThreadEvents {
    /// Opens and enables one event per ring on thread `tid`, with the program of a trigger when there is one, at a
    /// sampling rate `weight` times lower. `is_of_target` is called between the two: the number may have become that
    /// of another process's thread, of which nothing is sampled then; and then `note`, with the events. A thread that has
    /// ended by then is not an error.
    pub(crate) fn add(
        &mut self,
        settings: &EventSettings,
        tid: u32,
        (rings, program, weight): (&[RingOutput], Option<(&BpfEngine, Trigger)>, u32),
        is_of_target: impl Fn(u32) -> bool,
        note: impl FnOnce(&[Event]) -> Result<(), RecordError>,
    ) -> Result<(), RecordError> {
        let mut events = Vec::with_capacity(rings.len());
        for ring in rings {
            match ring.open(settings, tid) {
                Ok(event) => events.push(event),
                Err(RecordError::Event(OpenError::ThreadGone)) => return Ok(()),
                Err(error) => return Err(error),
            }
        }
        if !is_of_target(tid) {
            return Ok(());
        }
        note(&events)?;
        for event in &events {
            if weight > 1 {
                event
                    .set_weight(settings, weight)
                    .map_err(|source| RecordError::System {
                        what: "setting the rate of an event",
                        source,
                    })?;
            }
            if let Some((engine, trigger)) = program {
                engine.attach(event.descriptor(), trigger)?;
            }
            event.enable().map_err(|source| RecordError::System {
                what: "enabling an event",
                source,
            })?;
        }
        self.events.insert(tid, events);
        self.refused.remove(&tid);
        Ok(())
    }

    /// Notes that no samples of `tid` are taken, and why. It counts once, also when it is tried
    /// again.
    pub(crate) fn refused(&mut self, tid: u32, error: RecordError) {
        let is_first = self.refused.insert(tid, Instant::now()).is_none();
        self.refused_count += u64::from(is_first);
        self.last_refusal = Some(error);
    }

    /// True when `tid` is new, or was refused a while ago.
    pub(crate) fn should_try(&self, tid: u32) -> bool {
        let has_waited = |tried: &Instant| tried.elapsed() >= RETRY_INTERVAL;
        !self.has(tid) && self.refused.get(&tid).is_none_or(has_waited)
    }

    /// Why not one thread is sampled; `None` when one is, or there was none to sample.
    pub(crate) fn why_none(&mut self) -> Option<RecordError> {
        match self.events.is_empty() {
            true => self.last_refusal.take(),
            false => None,
        }
    }

    /// The threads that were not sampled, for a part of the capture at least.
    pub(crate) fn gaps(&self) -> SamplingGaps {
        SamplingGaps {
            threads: self.refused_count,
            threads_reason: self
                .last_refusal
                .as_ref()
                .map_or_else(String::new, ToString::to_string),
            threads_reason_code: self.last_refusal.as_ref().and_then(reason_code),
            ..SamplingGaps::default()
        }
    }

    /// Threads that are sampled, and those that are not.
    pub(crate) fn threads(&self) -> usize {
        self.events.len() + self.refused.len()
    }

    /// True when `tid` is sampled.
    pub(crate) fn has(&self, tid: u32) -> bool {
        self.events.contains_key(&tid)
    }

    /// Closes the events of `tid`, which may then be added again.
    pub(crate) fn close(&mut self, tid: u32) {
        self.events.remove(&tid);
    }

    /// The threads that are sampled.
    pub(crate) fn thread_ids(&self) -> impl Iterator<Item = u32> + '_ {
        self.events.keys().copied()
    }

    /// Closes the events of threads that are not in `alive`.
    pub(crate) fn retain(&mut self, alive: &HashSet<u32>) {
        self.events.retain(|tid, _| alive.contains(tid));
        self.refused.retain(|tid, _| alive.contains(tid));
    }

    /// Sets all events to a sampling rate `weight` times lower than that of `settings`. When one event
    /// cannot be changed, none is: samples of both kinds could not be told apart.
    pub(crate) fn set_weight(
        &self,
        settings: &EventSettings,
        (before, weight): (u32, u32),
    ) -> std::io::Result<()> {
        let all = || self.events.values().flatten();
        for (changed, event) in all().enumerate() {
            if let Err(error) = event.set_weight(settings, weight) {
                for event in all().take(changed) {
                    // It could be changed just now.
                    let _ = event.set_weight(settings, before);
                }
                return Err(error);
            }
        }
        Ok(())
    }

    /// Stops all sampling; the samples in the rings stay.
    pub(crate) fn disable(&self) {
        for event in self.events.values().flatten() {
            // An event of a thread that has ended cannot be disabled and need not be.
            let _ = event.disable();
        }
    }
}

/// The code of why a thread was refused, when it has one.
fn reason_code(error: &RecordError) -> Option<ThreadsReason> {
    match error {
        RecordError::Event(OpenError::Denied) => Some(ThreadsReason::Denied),
        RecordError::Event(OpenError::Unsupported) => Some(ThreadsReason::NoSuchEvent),
        RecordError::Event(OpenError::TooManyFiles) => Some(ThreadsReason::TooManyFiles),
        _ => None,
    }
}

/// The ring of one CPU as a place to send records to.
#[derive(Debug)]
pub(crate) struct RingOutput {
    cpu: u32,
    /// A first event of our own keeps the way to the ring open after its reader took it.
    anchor: perf_ring::ring::RingAnchor,
}

impl RingOutput {
    pub(crate) fn new(cpu: u32, ring: &Ring) -> Result<Self, RecordError> {
        let anchor = ring.anchor().map_err(|source| RecordError::System {
            what: "sharing a perf ring",
            source,
        })?;
        Ok(Self { cpu, anchor })
    }

    fn open(&self, settings: &EventSettings, tid: u32) -> Result<Event, RecordError> {
        let cpu = Some(self.cpu);
        let event = Event::open(settings, Scope::Thread { tid, cpu })?;
        event
            .output_to(&self.anchor)
            .map_err(|source| RecordError::System {
                what: "joining a perf ring",
                source,
            })?;
        Ok(event)
    }
}
