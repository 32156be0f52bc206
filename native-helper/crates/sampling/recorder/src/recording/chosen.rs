//! What a recording samples with, found out by opening it.

use attach::AttachedVm;
use bpf_engine::{BpfEngine, BpfError, Trigger};
use capture::quality::EngineReason;
use perf_ring::EventSettings;
use perf_ring::event::best_settings;
use permitted_target::{AccessError, PermittedTarget, Raised};

use super::RecordingSettings;
use super::cpus::online_cpus;
use super::switches::switch_settings;
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
        engine::choose(choice, sources.triggers(), &load)
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
    let switches = sources
        .off_cpu
        .then(|| switch_settings(events, pid, of_engine));
    // Without any other source, there is nothing to record.
    if !sources.cpu {
        events = match &switches {
            Some(Ok(switches)) => *switches,
            Some(Err(why)) => {
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
                let why = why.clone();
                return Err(RecordError::NoSwitches { why, is_permission });
            }
            None => events,
        };
    }
    Ok(Chosen {
        engine,
        program,
        events,
        switches,
    })
}

/// The requested engine cannot be used: the other one is a remedy only for samples that it takes.
fn without_engine(sources: SourceSet, error: BpfError) -> RecordError {
    match sources.off_cpu {
        true => RecordError::OnlyEngine(error),
        false => RecordError::Engine(error),
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
    fn the_other_engine_is_no_remedy_for_time_without_a_processor() {
        let of = |sources| without_engine(sources, BpfError::Denied);
        assert!(matches!(of(SourceSet::CPU), RecordError::Engine(_)));
        for sources in [SourceSet::OFF_CPU, SourceSet::OFF_CPU.with(SourceSet::CPU)] {
            let error = of(sources);
            assert!(matches!(error, RecordError::OnlyEngine(_)));
            assert!(error.is_permission());
            assert!(
                error
                    .to_string()
                    .starts_with("off-cpu cannot be recorded: the bpf engine cannot be used: ")
            );
        }
    }
}
