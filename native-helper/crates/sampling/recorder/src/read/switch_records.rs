//! The records of one CPU about threads that leave it and come to it, and the times in which some may be missing.

use std::sync::Arc;

use perf_ring::{EventId, SwitchRecord, Way};

use super::batch::BatchCell;
use super::event_sources::EventSources;
use super::raw_sample::{RawSample, ReadFlags, SampleSource};

/// Queues them. Where there are no events of switches, it queues nothing.
#[derive(Debug, Default)]
pub struct SwitchRecords {
    cpu: u32,
    sources: Arc<EventSources>,
    /// Time of the last record that was read.
    last_ns: u64,
    is_losing: bool,
}

impl SwitchRecords {
    /// Those of a CPU.
    pub fn of_cpu(cpu: u32, sources: Arc<EventSources>) -> Self {
        Self {
            cpu,
            sources,
            ..Self::default()
        }
    }

    /// The source of the samples of an event.
    pub fn source_of(&self, id: EventId) -> SampleSource {
        self.sources.of(id)
    }

    /// Queues a record of a switch.
    pub fn keep(&mut self, batch: &BatchCell, switch: &SwitchRecord) {
        let way = match switch.way {
            Way::In => ReadFlags::BACK,
            Way::Out { preempted: false } => ReadFlags::LEFT,
            Way::Out { preempted: true } => ReadFlags::LEFT | ReadFlags::PREEMPTED,
        };
        push(batch, way, (switch.time_ns, switch.tid, switch.cpu));
        self.note_record(batch, switch.time_ns);
    }

    /// Notes that a record of this time was read and queued.
    pub fn note_record(&mut self, batch: &BatchCell, time_ns: u64) {
        if !self.sources.has_others() {
            return;
        }
        self.last_ns = time_ns;
        // Behind the record: the one that belongs to it may be among those that are missing.
        if std::mem::take(&mut self.is_losing) {
            push(batch, ReadFlags::LOSS_ENDS, (time_ns, 0, self.cpu));
        }
    }

    /// Notes that records are missing from here on.
    pub fn note_loss(&mut self, batch: &BatchCell) {
        if !self.sources.has_others() || self.is_losing {
            return;
        }
        self.is_losing = true;
        push(batch, ReadFlags::LOSS_BEGINS, (self.last_ns, 0, self.cpu));
    }
}

fn push(batch: &BatchCell, flags: u64, (time_ns, tid, cpu): (u64, u32, u32)) {
    batch.push(&RawSample {
        time_ns,
        tid,
        cpu,
        flags: ReadFlags(SampleSource::Switches.flags() | flags),
        ..RawSample::default()
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::batch::RawBatch;

    fn switch(time_ns: u64, way: Way) -> SwitchRecord {
        SwitchRecord {
            id: EventId(1),
            tid: 7,
            time_ns,
            cpu: 3,
            way,
        }
    }

    /// Flags but the source, and times.
    fn queued(batch: &BatchCell) -> Vec<(u64, u64)> {
        let mut taken = RawBatch::default();
        batch.swap(&mut taken);
        let samples = taken.samples().map(|sample| {
            assert_eq!(sample.flags.source(), SampleSource::Switches);
            let source = SampleSource::Switches.flags();
            (sample.flags.0 & !source, sample.time_ns)
        });
        samples.collect()
    }

    #[test]
    fn a_loss_is_from_the_last_record_before_it_to_behind_the_first_one_after_it() {
        let sources = Arc::<EventSources>::default();
        sources.add(SampleSource::Switches, [EventId(1)]);
        let (batch, mut records) = (BatchCell::default(), SwitchRecords::of_cpu(3, sources));
        records.keep(&batch, &switch(10, Way::Out { preempted: true }));
        records.note_record(&batch, 15);
        records.note_loss(&batch);
        records.note_loss(&batch);
        records.keep(&batch, &switch(90, Way::In));
        records.keep(&batch, &switch(95, Way::Out { preempted: false }));
        assert_eq!(
            queued(&batch),
            [
                (ReadFlags::LEFT | ReadFlags::PREEMPTED, 10),
                (ReadFlags::LOSS_BEGINS, 15),
                (ReadFlags::BACK, 90),
                (ReadFlags::LOSS_ENDS, 90),
                (ReadFlags::LEFT, 95),
            ]
        );
    }

    #[test]
    fn without_events_of_switches_losses_are_not_queued() {
        let (batch, mut records) = (BatchCell::default(), SwitchRecords::default());
        records.note_record(&batch, 5);
        records.note_loss(&batch);
        records.note_record(&batch, 6);
        assert!(queued(&batch).is_empty());
    }
}
