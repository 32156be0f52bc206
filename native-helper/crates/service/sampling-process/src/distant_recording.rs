//! A capture that another process makes.

use std::time::{Duration, Instant};

use capture::facts::{OriginFacts, WorkFacts};
use capture::quality::QualityRecord;
use capture::reader::Capture;
use diagnose::refusal::Refusal;
use recorder::{EngineInUse, MaxOverhead, RecordingSettings, TargetState};

use crate::asking::Sampler;
use crate::dialog::{Functions, Increment, Note, Order, Question, Sample, Stop, Take};
use crate::refusals::lost;

/// The operations of `recorder::Recording`, by the process that samples. Dropping it stops the
/// sampling.
#[derive(Debug)]
pub struct DistantRecording {
    sampler: Sampler,
    engine: EngineInUse,
    began: Instant,
    /// How long it ran, when it has ended.
    ran: Option<Duration>,
    quality: QualityRecord,
    busy_ns: u64,
    has_next: bool,
    /// Why there will be no increment any more.
    trouble: Option<Refusal>,
}

impl DistantRecording {
    /// Starts to sample the target of `sampler`.
    ///
    /// # Errors
    /// Why it cannot be sampled.
    pub fn begin(mut sampler: Sampler, settings: RecordingSettings) -> Result<Self, Refusal> {
        let engine = sampler.ask(Sample { settings }, &|| false)?;
        Ok(Self {
            sampler,
            engine,
            began: Instant::now(),
            ran: None,
            quality: QualityRecord::default(),
            busy_ns: 0,
            has_next: false,
            trouble: None,
        })
    }

    /// How Erlang stacks under C code are obtained, and why so.
    pub fn engine(&self) -> &EngineInUse {
        &self.engine
    }

    /// The quality as of the last increment.
    pub fn quality(&self) -> &QualityRecord {
        &self.quality
    }

    /// Processor time of all samples that are not idle, as of the last increment, nanoseconds.
    pub fn busy_ns(&self) -> u64 {
        self.busy_ns
    }

    /// How long it has run.
    pub fn elapsed(&self) -> Duration {
        self.ran.unwrap_or_else(|| self.began.elapsed())
    }

    /// Sets the facts about the commit that the capture contains from the next increment on.
    pub fn set_origin(&mut self, origin: OriginFacts) {
        self.note(Note::Origin(origin));
    }

    /// Sets the facts about the work done that the capture contains from the next increment on.
    pub fn set_work(&mut self, work: WorkFacts) {
        self.note(Note::Work(work));
    }

    /// From now on less than `most` is paid, or as little as can be.
    pub fn limit_overhead(&mut self, most: MaxOverhead) {
        self.note(Note::LimitOverhead(most));
    }

    /// The functions seen so far, as a capture without samples.
    ///
    /// # Errors
    /// The process that samples has ended.
    pub fn functions(&mut self) -> Result<Capture, Refusal> {
        let ((), bytes) = self.ask(Functions {})?;
        Capture::from_bytes(&bytes).map_err(|error| Refusal::from(&error))
    }

    /// Waits that long, or until something has happened.
    pub fn wait(&mut self, duration: Duration) {
        if self.trouble.is_some() || self.sampler.is_target_gone {
            return;
        }
        if let Some(received) = self.sampler.receive(duration) {
            // There was no order to answer.
            let trouble = received.err();
            self.trouble = trouble.or_else(|| Some(lost(&"it sent a message without a request")));
        }
    }

    /// Whether the target is still there.
    ///
    /// # Errors
    /// The process that samples has ended.
    pub fn state(&mut self) -> Result<TargetState, Refusal> {
        match (&self.trouble, self.sampler.is_target_gone) {
            (Some(trouble), _) => Err(trouble.clone()),
            (None, true) => Ok(TargetState::Gone),
            (None, false) => Ok(TargetState::Alive),
        }
    }

    /// Whether the last increment was only the oldest one of several.
    pub fn has_next(&self) -> bool {
        self.has_next
    }

    /// The oldest increment that waits, else everything new since the last time, as one member of a capture file.
    ///
    /// # Errors
    /// The process that samples has ended.
    pub fn take_increment(&mut self) -> Result<Vec<u8>, Refusal> {
        let (increment, member) = self.ask(Take {})?;
        let Increment {
            quality,
            elapsed_ns,
            busy_ns,
            is_gone,
            has_next,
        } = increment;
        self.has_next = has_next;
        self.quality = quality;
        self.busy_ns = busy_ns;
        if is_gone || self.ran.is_some() {
            self.ran = Some(Duration::from_nanos(elapsed_ns));
        }
        Ok(member)
    }

    /// Stops sampling; the next increment contains the remaining samples.
    ///
    /// # Errors
    /// The process that samples has ended.
    pub fn stop(&mut self) -> Result<(), Refusal> {
        let (elapsed_ns, _) = self.ask(Stop {})?;
        self.ran = Some(Duration::from_nanos(elapsed_ns));
        Ok(())
    }

    fn note(&mut self, note: Note) {
        if self.trouble.is_none()
            && let Err(refusal) = self.sampler.order(&Order::Note(note))
        {
            self.trouble = Some(refusal);
        }
    }

    fn ask<Q: Question>(&mut self, question: Q) -> Result<(Q::Answer, Vec<u8>), Refusal> {
        if let Some(trouble) = &self.trouble {
            return Err(trouble.clone());
        }
        self.sampler
            .ask_with_bytes(question, &|| false)
            .inspect_err(|trouble| self.trouble = Some(trouble.clone()))
    }
}
