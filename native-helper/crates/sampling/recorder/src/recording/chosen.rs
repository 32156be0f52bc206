//! What a recording samples with, found out by opening it.

use attach::AttachedVm;
use bpf_engine::{BpfEngine, BpfError, Trigger};
use capture::quality::EngineReason;
use capture::sample_types::{FAULTS, OFF_CPU};
use perf_ring::event::best_settings;
use perf_ring::{EventSettings, Source};
use permitted_target::{AccessError, PermittedTarget, Raised};

use super::RecordingSettings;
use super::cpus::online_cpus;
use super::switches::settings_beside;
use crate::engine::{self, Engine, EngineChoice, EngineInUse};
use crate::error::RecordError;
use crate::source_set::SourceSet;

/// Whose threads are sampled.
#[derive(Debug, Clone, Copy)]
pub(super) enum Subject<'a> {
    /// Those of a VM.
    Vm(&'a PermittedTarget, &'a AttachedVm),
    /// Our own, to find out about this machine without a VM.
    Ourselves,
}

impl Subject<'_> {
    pub(super) fn pid(self) -> u32 {
        match self {
            Self::Vm(_, vm) => vm.process.pid,
            Self::Ourselves => std::process::id(),
        }
    }

    pub(super) fn raise_to_sample(self) -> Raised {
        match self {
            Self::Vm(target, _) => target.raise_to_sample(),
            Self::Ourselves => Raised::for_sampling(),
        }
    }

    fn load(self, cpus: &[u32], triggers: &[Trigger]) -> Result<BpfEngine, BpfError> {
        match self {
            Self::Vm(_, vm) => engine::load(vm, cpus, triggers),
            Self::Ourselves => engine::load_for_ourselves(cpus, triggers),
        }
    }

    pub(super) fn is_gone(self) -> bool {
        match self {
            Self::Vm(target, _) => matches!(target.check(), Err(AccessError::Changed { .. })),
            Self::Ourselves => false,
        }
    }
}

/// What samples are taken with.
pub(super) struct Chosen {
    pub(super) engine: EngineInUse,
    pub(super) program: Option<BpfEngine>,
    /// The settings of the events, of the clock if that is sampled.
    pub(super) events: EventSettings,
    /// Those of the events of switches, where they were requested; or why there are none.
    pub(super) switches: Option<Result<EventSettings, String>>,
    /// The same of page faults.
    pub(super) faults: Option<Result<EventSettings, String>>,
}

impl Chosen {
    /// The requested sources without those that cannot be recorded.
    pub(super) fn sources(&self, requested: SourceSet) -> SourceSet {
        SourceSet {
            off_cpu: matches!(self.switches, Some(Ok(_))),
            faults: matches!(self.faults, Some(Ok(_))),
            ..requested
        }
    }
}

/// The settings of events, or the reason that there are none; neither where they were not requested.
pub(super) fn found_or_refused(
    found: Option<Result<EventSettings, String>>,
) -> (Option<EventSettings>, Option<String>) {
    match found.transpose() {
        Ok(found) => (found, None),
        Err(why) => (None, Some(why)),
    }
}

/// The engine, its program, and the events to sample with. No thread that is started later has the rights that
/// finding them out takes.
pub(super) fn choose_events(
    subject: Subject<'_>,
    settings: RecordingSettings,
    cpus: &[u32],
) -> Result<Chosen, RecordError> {
    let _raised = subject.raise_to_sample();
    let sources = settings.sources;
    let choose = |choice| {
        let load = |triggers: &[Trigger]| subject.load(cpus, triggers);
        engine::choose(choice, &sources.triggers(), &load)
    };
    let (engine, program) =
        choose(settings.engine).map_err(|error| without_engine(sources, error))?;
    let pid = subject.pid();
    let mut events = settings.wanted_events(engine.engine);
    if sources.cpu {
        events =
            best_settings(events, pid).map_err(|error| RecordError::from(error).of_target(pid))?;
    }
    let of_engine = (&engine, program.as_ref());
    let beside = |source, trigger| settings_beside(events, pid, (source, trigger), of_engine);
    let switches = sources
        .off_cpu
        .then(|| beside(Source::ContextSwitches, Trigger::SwitchOut));
    let faults = sources
        .faults
        .then(|| beside(Source::PageFaults, Trigger::PageFault));
    // Without any other source, there is nothing to record.
    if !sources.cpu {
        let others = [(OFF_CPU.id, &switches), (FAULTS.id, &faults)];
        let mut found = others.iter().flat_map(|(_, other)| *other);
        if let Some(found) = found.find_map(|other| other.as_ref().ok()) {
            events = *found;
        } else {
            let refused = others.iter().find_map(|(of, other)| match other {
                Some(Err(why)) => Some((*of, why.clone())),
                _ => None,
            });
            if let Some((of, why)) = refused {
                if subject.is_gone() {
                    return Err(RecordError::TargetGone { pid });
                }
                let is_permission = match engine.reason_code {
                    // Its error was not kept.
                    EngineReason::BpfUnusable => {
                        choose(EngineChoice::Bpf).is_err_and(|error| error.is_permission())
                    }
                    _ => engine.engine == Engine::Bpf,
                };
                return Err(RecordError::NotRecordable {
                    of,
                    why,
                    is_permission,
                });
            }
        }
    }
    Ok(Chosen {
        engine,
        program,
        events,
        switches,
        faults,
    })
}

/// The requested engine cannot be used: the other one is a remedy only for samples that it takes.
fn without_engine(sources: SourceSet, source: BpfError) -> RecordError {
    let others = [(sources.off_cpu, OFF_CPU.id), (sources.faults, FAULTS.id)];
    match others.into_iter().find(|(is_requested, _)| *is_requested) {
        Some((_, of)) => RecordError::OnlyEngine { of, source },
        None => RecordError::Engine(source),
    }
}

/// The CPUs that are sampled.
pub(super) fn cpus_to_sample() -> Result<Vec<u32>, RecordError> {
    online_cpus().ok_or_else(|| RecordError::System {
        what: "listing the CPUs",
        source: std::io::ErrorKind::NotFound.into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_other_engine_is_no_remedy_for_other_types_than_processor_time() {
        let of = |sources| without_engine(sources, BpfError::Denied);
        assert!(matches!(of(SourceSet::CPU), RecordError::Engine(_)));
        let all = SourceSet::CPU
            .with(SourceSet::OFF_CPU)
            .with(SourceSet::FAULTS);
        for (sources, id) in [
            (SourceSet::OFF_CPU, "off-cpu"),
            (SourceSet::OFF_CPU.with(SourceSet::CPU), "off-cpu"),
            (SourceSet::FAULTS, "faults"),
            (SourceSet::FAULTS.with(SourceSet::CPU), "faults"),
            (all, "off-cpu"),
        ] {
            let error = of(sources);
            assert!(matches!(error, RecordError::OnlyEngine { .. }));
            assert!(error.is_permission());
            let begin = format!("{id} cannot be recorded: the bpf engine cannot be used: ");
            assert!(error.to_string().starts_with(&begin), "{error}");
        }
    }
}
