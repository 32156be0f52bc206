//! The thread that empties the rings of all CPUs when the kernel-side engine is used. Nothing has
//! to be read in time, so it looks now and then and has no priority.

use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use bpf_engine::BpfRing;
use perf_ring::{EventSettings, Record, Ring, parse_record};

use super::batch::BatchCell;
use super::counts::ReaderCounts;
use super::event_sources::EventSources;
use super::failure_limit::{FailureLimit, Look};
use super::join::{Join, JoinCounts, RecordSource};
use super::plan::PlanView;
use super::raw_sample::ReadFlags;
use super::reader::SampleRing;
use super::sample_copy::{add_record, bare_sample};
use super::switch_records::SwitchRecords;
use crate::sys;

/// How often the rings are looked at; a ring that fills up wakes the thread before.
const LOOK_INTERVAL_MS: i32 = 25;

/// The rings of one CPU.
pub struct CpuRings<S = Ring, R = BpfRing> {
    /// Samples.
    pub samples: S,
    /// The copies made at them.
    pub records: R,
    /// Where both go, joined.
    pub batch: Arc<BatchCell>,
    /// Counts.
    pub counts: Arc<ReaderCounts>,
    /// Which record is whose.
    pub join: Join,
    /// The records of switches.
    pub switches: SwitchRecords,
    /// Its counts as far as `counts` has them.
    pub published: JoinCounts,
    /// Its successful and failed readings.
    pub failure_limit: FailureLimit,
}

/// Everything the thread owns.
pub struct Collector {
    /// One for each CPU.
    pub cpus: Vec<CpuRings>,
    /// Settings of the events.
    pub settings: EventSettings,
    /// The events that are not those of the clock.
    pub sources: Arc<EventSources>,
    /// Its view of the target.
    pub plan: PlanView,
    /// Becomes readable when the thread shall end.
    pub stop: Arc<OwnedFd>,
}

impl Collector {
    /// Empties the rings until it is stopped, and a last time then.
    pub fn run(mut self) {
        let mut watched = vec![self.stop.as_fd()];
        for rings in &self.cpus {
            watched.extend([rings.samples.descriptor(), rings.records.descriptor()]);
        }
        // Without it the thread still looks at its interval; only a burst may then be lost.
        let wakes = sys::Wakes::of(&watched).ok();
        drop(watched);
        loop {
            let stopped = sys::is_readable(self.stop.as_fd());
            self.drain();
            if stopped {
                return;
            }
            match &wakes {
                Some(wakes) => wakes.wait(LOOK_INTERVAL_MS),
                None => sys::pause(self.stop.as_fd(), LOOK_INTERVAL_MS),
            }
        }
    }

    fn drain(&mut self) {
        let has_others = self.sources.has_others();
        let since_ns = has_others.then(sys::monotonic_ns);
        for rings in &mut self.cpus {
            rings.empty(&self.settings, &mut self.plan);
        }
        if let Some(since_ns) = since_ns {
            self.sources.note_read(since_ns);
        }
    }
}

impl<S: SampleRing, R: RecordSource> CpuRings<S, R> {
    /// Empties the rings of this CPU. A failure here does not concern the others.
    pub fn empty(&mut self, settings: &EventSettings, plan: &mut PlanView) {
        let counts = Arc::clone(&self.counts);
        let mut failure_limit = std::mem::take(&mut self.failure_limit);
        loop {
            let look = failure_limit.look(&counts, || self.drain(settings, plan));
            if look == Look::Done {
                break;
            }
            // It may have been a sample of a scheduler that never came to its record.
            self.join.samples_were_lost();
            self.switches.note_loss(&self.batch);
            if look == Look::GivenUp {
                break;
            }
        }
        self.failure_limit = failure_limit;
        // Also after a look that failed: the samples that it joined before that count.
        self.publish();
    }

    fn drain(&mut self, settings: &EventSettings, plan: &mut PlanView) {
        while let Some(bytes) = self.samples.next_record() {
            match parse_record(settings, bytes) {
                Some(Record::Sample(sample)) => {
                    let plan = plan.current();
                    let (mut raw, role) = bare_sample(plan, &sample);
                    raw.flags.0 |= self.switches.source_of(sample.id).flags();
                    if role.is_none() {
                        // No scheduler, so the program copied nothing.
                        self.batch.push(&raw);
                    } else if !plan.is_numbered(sample.tid, sample.time_ns) {
                        self.join.has_no_number();
                        raw.flags.0 |= ReadFlags::UNMATCHED;
                        self.batch.push(&raw);
                    } else {
                        let batch = &self.batch;
                        self.join.with_record(&mut self.records, &sample, |found| {
                            // A copy that lives no longer than the record.
                            let mut raw = raw;
                            match found {
                                Some((record, c_stack)) => {
                                    add_record(plan, record, c_stack, &mut raw);
                                }
                                None => raw.flags.0 |= ReadFlags::UNMATCHED,
                            }
                            batch.push(&raw);
                        });
                    }
                    self.switches.note_record(&self.batch, sample.time_ns);
                }
                Some(Record::Switch(switch)) => self.switches.keep(&self.batch, &switch),
                Some(Record::Lost(count)) => {
                    self.join.samples_were_lost();
                    self.switches.note_loss(&self.batch);
                    self.counts.lost.fetch_add(count, Ordering::Relaxed);
                }
                Some(Record::Throttled) => {
                    self.counts.throttled.fetch_add(1, Ordering::Relaxed);
                }
                Some(Record::Other) => {}
                None => {
                    self.join.samples_were_lost();
                    self.switches.note_loss(&self.batch);
                    self.counts.malformed.fetch_add(1, Ordering::Relaxed);
                }
            }
        }
    }

    fn publish(&mut self) {
        let now = self.join.counts;
        let before = std::mem::replace(&mut self.published, now);
        for (counter, added) in [
            (&self.counts.matched, now.matched - before.matched),
            (&self.counts.unmatched, now.unmatched - before.unmatched),
            (&self.counts.orphaned, now.orphaned - before.orphaned),
            (
                &self.counts.orphaned_switches,
                now.orphaned_switches - before.orphaned_switches,
            ),
            (
                &self.counts.orphaned_faults,
                now.orphaned_faults - before.orphaned_faults,
            ),
            (&self.counts.malformed, now.malformed - before.malformed),
        ] {
            counter.fetch_add(added, Ordering::Relaxed);
        }
    }
}
