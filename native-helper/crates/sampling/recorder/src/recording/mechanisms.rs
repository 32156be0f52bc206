//! The mechanisms that take samples of each type, and whether one works here.

use attach::AttachedVm;
use capture::sample_types::{CPU, FAULTS, OFF_CPU, SampleType};
use perf_ring::{KernelFrames, Ring, Source};
use permitted_target::PermittedTarget;
use serde::Serialize;

use super::chosen::{Subject, choose_events, cpus_to_sample};
use super::overhead::{NS_PER_BLOCK, NS_PER_FAULT, NS_PER_SWITCH, ns_per_sample};
use super::readers::RING_PAGES;
use super::{RecordingSettings, USUAL_NODE_INTERVAL};
use crate::engine::{Engine, EngineChoice};
use crate::error::RecordError;
use crate::file_limit;
use crate::source_set::SourceSet;

/// The usual rate of `record`. Whether an event can be opened does not depend on it.
const USUAL_HZ: u32 = 99;

/// How samples of one type are taken.
#[derive(Debug, Clone, Copy)]
pub struct Mechanism {
    /// The type of the samples.
    pub of: SampleType,
    /// The sources of a recording of that type alone.
    pub sources: SourceSet,
    /// The event that takes them.
    pub event: Source,
    /// The engine that reads the stacks.
    pub engine: Engine,
    /// Its cost to the target.
    pub prices: &'static [Price],
}

/// How long one event stops its thread.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Price {
    /// The event.
    pub of: &'static str,
    /// Nanoseconds, as a limit of the overhead counts them.
    pub ns: f64,
}

/// All mechanisms, those of a type one after the other.
pub const MECHANISMS: [Mechanism; 4] = [
    of_clock(Engine::Bpf, SAMPLE_BY_BPF),
    of_clock(Engine::Readv, SAMPLE_BY_READV),
    Mechanism {
        of: OFF_CPU,
        sources: SourceSet::OFF_CPU,
        event: Source::ContextSwitches,
        engine: Engine::Bpf,
        prices: SWITCHES,
    },
    Mechanism {
        of: FAULTS,
        sources: SourceSet::FAULTS,
        event: Source::PageFaults,
        engine: Engine::Bpf,
        prices: PAGE_FAULTS,
    },
];

const SAMPLE_BY_BPF: &[Price] = &[Price {
    of: "sample",
    ns: ns_per_sample(Engine::Bpf),
}];
const SAMPLE_BY_READV: &[Price] = &[Price {
    of: "sample",
    ns: ns_per_sample(Engine::Readv),
}];
const SWITCHES: &[Price] = &[
    Price {
        of: "block",
        ns: NS_PER_BLOCK,
    },
    Price {
        of: "other switch",
        ns: NS_PER_SWITCH,
    },
];

const PAGE_FAULTS: &[Price] = &[Price {
    of: "page fault",
    ns: NS_PER_FAULT,
}];

const fn of_clock(engine: Engine, prices: &'static [Price]) -> Mechanism {
    Mechanism {
        of: CPU,
        sources: SourceSet::CPU,
        event: Source::CpuClock,
        engine,
        prices,
    }
}

impl Mechanism {
    /// Opens what a recording opens before it samples the first thread, on a VM or on this very process, and closes it.
    /// Returns the part of the kernel that its samples would have.
    ///
    /// # Errors
    /// That of a recording.
    pub fn try_out(&self, vm: Option<&AttachedVm>) -> Result<KernelFrames, RecordError> {
        file_limit::raise();
        let cpus = cpus_to_sample()?;
        let permitted = |vm: &AttachedVm| {
            let target = vm.target.clone();
            target.map_or_else(|| PermittedTarget::open(vm.process.pid), Ok)
        };
        let target = vm.map(permitted).transpose()?;
        let subject = match (&target, vm) {
            (Some(target), Some(vm)) => Subject::Vm(target, vm),
            _ => Subject::Ourselves,
        };
        match self.open_on(subject, &cpus) {
            // A missing process may be met by any step, in its own words.
            Err(_) if subject.is_gone() => Err(RecordError::TargetGone { pid: subject.pid() }),
            opened => opened,
        }
    }

    fn open_on(&self, subject: Subject<'_>, cpus: &[u32]) -> Result<KernelFrames, RecordError> {
        let chosen = choose_events(subject, self.settings(), cpus)?;
        let _raised = subject.raise_to_sample();
        let rings = cpus.iter().map(|cpu| Ring::new(*cpu, RING_PAGES));
        // All at a time: their sum is limited.
        let _rings = rings.collect::<Result<Vec<_>, _>>()?;
        Ok(chosen.events.kernel)
    }

    fn settings(&self) -> RecordingSettings {
        RecordingSettings {
            frequency_hz: USUAL_HZ,
            include_kernel: false,
            engine: match self.engine {
                Engine::Readv => EngineChoice::Readv,
                Engine::Bpf if self.sources.cpu => EngineChoice::Bpf,
                // The other engine is no remedy there, as it would be where this one was requested.
                Engine::Bpf => EngineChoice::Auto,
            },
            look_at_node_every: USUAL_NODE_INTERVAL,
            notes_time_before: false,
            sources: self.sources,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_has_the_sources_of_its_type_alone_and_a_price() {
        for mechanism in MECHANISMS {
            let types: Vec<_> = mechanism.sources.types().iter().collect();
            assert_eq!(types, [mechanism.of]);
            assert!(mechanism.prices.iter().all(|price| price.ns > 0.0));
            assert!(!mechanism.prices.is_empty());
        }
    }

    #[test]
    fn where_the_kernel_does_not_take_the_program_nothing_with_it_works() {
        let is_taken = crate::engine::try_bpf().is_ok();
        for mechanism in MECHANISMS {
            let tried = mechanism.try_out(None);
            let needs_it = mechanism.engine == Engine::Bpf;
            assert!(is_taken || !needs_it || tried.is_err(), "{mechanism:?}");
        }
    }
}
