//! The side of the recorder.

use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use diagnose::refusal::Refusal;
use protocol::detached::{DetachedEnd, DetachedFacts};
use protocol::error::ErrorData;
use protocol::pstack::HaltedTime;
use protocol::recording::EngineName;

use super::folder::{CAPTURE, Folder};
use super::name::DetachedName;
use super::trouble::{no_place, taken};
use super::{MAX_DURATION, MAX_FILE_BYTES};
use crate::state_folder::{detached_folder, make_new_folder};

/// How often it is checked whether the user wants it to end.
const STOP_INTERVAL: Duration = Duration::from_millis(250);
/// How often the number of samples so far is written.
const SAMPLES_INTERVAL: Duration = Duration::from_secs(5);

/// A detached capture that is being made: other processes see that as long as this lives.
#[derive(Debug)]
pub struct Recorder {
    folder: Folder,
    name: DetachedName,
    facts: Option<DetachedFacts>,
    looked: Instant,
    counted: Instant,
    is_requested: bool,
    _lock: OwnedFd,
}

/// The facts about a capture at its start.
#[derive(Debug, Clone, PartialEq)]
pub struct Beginning {
    /// The VM's process id.
    pub target_pid: u32,
    /// Its node; empty when the VM is not a node.
    pub node: String,
    /// Samples per second and thread.
    pub frequency_hz: u32,
    /// Seconds.
    pub duration_s: f64,
    /// How Erlang stacks are obtained.
    pub engine: EngineName,
}

/// Numbers of samples by their type; `None` for a type that is not recorded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counted {
    /// Of processor time.
    pub samples: Option<u64>,
    /// Of times without a processor.
    pub blocks: Option<u64>,
    /// Of page faults.
    pub fault_samples: Option<u64>,
}

impl Counted {
    fn is_none_yet(self) -> bool {
        [self.samples, self.blocks, self.fault_samples]
            .iter()
            .all(|count| count.is_none_or(|count| count == 0))
    }

    fn of(facts: &DetachedFacts) -> Self {
        Self {
            samples: facts.samples,
            blocks: facts.blocks,
            fault_samples: facts.fault_samples,
        }
    }

    fn write_to(self, facts: &mut DetachedFacts) {
        (facts.samples, facts.blocks) = (self.samples, self.blocks);
        facts.fault_samples = self.fault_samples;
    }
}

impl Recorder {
    /// Makes its folder, which no other one has.
    ///
    /// # Errors
    /// The name is taken, or there is no place for it.
    pub fn create(name: DetachedName) -> Result<Self, Refusal> {
        let parent = detached_folder().map_err(|error| no_place(&name, &error))?;
        Self::create_in(&parent, name)
    }

    pub(super) fn create_in(parent: &Path, name: DetachedName) -> Result<Self, Refusal> {
        let made = make_new_folder(&parent.join(name.as_str()));
        made.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => taken(&name),
            _ => no_place(&name, &error),
        })?;
        let opened = Folder::open(parent, &name).and_then(|folder| Ok((folder.lock()?, folder)));
        let (lock, folder) = opened.map_err(|error| no_place(&name, &error))?;
        Ok(Self {
            folder,
            name,
            facts: None,
            looked: Instant::now(),
            counted: Instant::now(),
            is_requested: false,
            _lock: lock,
        })
    }

    /// The path of the capture.
    pub fn capture_path(&self) -> PathBuf {
        self.folder.path.join(CAPTURE)
    }

    /// Writes the facts of a capture that samples.
    ///
    /// # Errors
    /// When that cannot be written.
    pub fn begun(&mut self, beginning: Beginning) -> Result<(), Refusal> {
        let facts = DetachedFacts {
            target_pid: beginning.target_pid,
            node: beginning.node,
            recorder_pid: std::process::id(),
            begun_unix_ms: unix_ms(),
            ended_unix_ms: None,
            frequency_hz: beginning.frequency_hz,
            duration_seconds: bounded_duration(beginning.duration_s),
            max_file_bytes: MAX_FILE_BYTES,
            engine: beginning.engine,
            samples: None,
            blocks: None,
            fault_samples: None,
            end: None,
            problem: None,
            halted: None,
        };
        let written = self.folder.write_facts(&facts);
        written.map_err(|error| no_place(&self.name, &error))?;
        self.facts = Some(facts);
        Ok(())
    }

    /// Notes the numbers of samples so far: at once where none was noted, then now and then.
    pub fn sampled(&mut self, counted: Counted) {
        let is_due = self.counted.elapsed() >= SAMPLES_INTERVAL;
        if let Some(facts) = &mut self.facts
            && !counted.is_none_yet()
            && (is_due || Counted::of(facts).is_none_yet())
        {
            self.counted = Instant::now();
            counted.write_to(facts);
            // The last number stays where this one cannot be written.
            let _ = self.folder.write_facts(facts);
        }
    }

    /// Its name.
    pub fn name(&self) -> &DetachedName {
        &self.name
    }

    /// Whether the user wants it to end, as of a moment ago.
    pub fn is_stop_requested(&mut self) -> bool {
        if !self.is_requested && self.looked.elapsed() >= STOP_INTERVAL {
            self.looked = Instant::now();
            self.is_requested = self.folder.is_stop_requested();
        }
        self.is_requested
    }

    /// It is over, and its file complete; `counted` where that is known better than before. Where that cannot be written it
    /// has ended unexpectedly.
    pub fn ended(
        mut self,
        end: DetachedEnd,
        problem: Option<ErrorData>,
        counted: Option<Counted>,
        halted: Option<HaltedTime>,
    ) {
        if let Some(facts) = &mut self.facts {
            facts.ended_unix_ms = Some(unix_ms());
            (facts.end, facts.problem, facts.halted) = (Some(end), problem, halted);
            if let Some(counted) = counted {
                counted.write_to(facts);
            }
            // There is no client left to receive the error.
            let _ = self.folder.write_facts(facts);
        }
    }

    /// It never began, and leaves nothing.
    pub fn remove(self) {
        // Remaining files are listed, and can be removed.
        let _ = self.folder.remove();
    }
}

/// Seconds after which a capture of the requested duration ends; 0 requests the longest one.
pub fn bounded_duration(duration_s: f64) -> f64 {
    match duration_s > 0.0 {
        true => duration_s.min(MAX_DURATION.as_secs_f64()),
        false => MAX_DURATION.as_secs_f64(),
    }
}

fn unix_ms() -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    now.map_or(0, |since| since.as_millis() as u64)
}
