//! The events of all threads of the target, as threads come and go.

use std::collections::{HashMap, HashSet};

use bpf_capture::BpfEngine;
use perf_ring::{Event, EventSettings, OpenError, Ring};

use crate::error::RecordError;

/// Open events by thread.
#[derive(Debug, Default)]
pub(crate) struct ThreadEvents {
    events: HashMap<u32, Vec<Event>>,
}

impl ThreadEvents {
    /// Opens and enables one event per ring on thread `tid`, with the program of its CPU when
    /// there is one. A thread that has ended meanwhile is not an error.
    pub(crate) fn add(
        &mut self,
        settings: &EventSettings,
        tid: u32,
        rings: &[RingOutput],
        program: Option<&BpfEngine>,
    ) -> Result<(), RecordError> {
        let mut events = Vec::with_capacity(rings.len());
        for ring in rings {
            match ring.open(settings, tid) {
                Ok(event) => events.push(event),
                Err(RecordError::Event(OpenError::ThreadGone)) => return Ok(()),
                Err(error) => return Err(error),
            }
        }
        for (cpu_index, event) in events.iter().enumerate() {
            if let Some(program) = program {
                program.attach(cpu_index, event.descriptor())?;
            }
            event.enable().map_err(|source| RecordError::System {
                what: "enabling an event",
                source,
            })?;
        }
        self.events.insert(tid, events);
        Ok(())
    }

    /// True when `tid` is sampled.
    pub(crate) fn has(&self, tid: u32) -> bool {
        self.events.contains_key(&tid)
    }

    /// Closes the events of threads that are not in `alive`.
    pub(crate) fn retain(&mut self, alive: &HashSet<u32>) {
        self.events.retain(|tid, _| alive.contains(tid));
    }

    /// Stops all sampling; what is in the rings stays.
    pub(crate) fn disable(&self) {
        for event in self.events.values().flatten() {
            // An event of a thread that has ended cannot be disabled and need not be.
            let _ = event.disable();
        }
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
        let event = Event::open(settings, tid, Some(self.cpu))?;
        event
            .output_to(&self.anchor)
            .map_err(|source| RecordError::System {
                what: "joining a perf ring",
                source,
            })?;
        Ok(event)
    }
}
