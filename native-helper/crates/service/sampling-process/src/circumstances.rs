//! What takes a VM's time or limits its processors while it is read: tracing, a quota, schedulers that may not run.

use std::time::{Duration, Instant};

use attach::{AttachError, AttachedVm, SchedulersNow, TracedProcesses};
use diagnose::standstill::standstill;
use protocol::explanation::Explanation;
use protocol::node::Unknown;
use recorder::{processors_since, schedulers_online, traced_functions, traced_processes};
use target_proc::ProcFs;
use target_proc::cpu_limits::CpuLimits;

use crate::dialog::Circumstances;

/// The circumstances, and parts of them as the VM has them.
pub(crate) struct Around {
    pub facts: Circumstances,
    /// Which schedulers may run.
    pub online: Option<SchedulersNow>,
    /// Why nothing of the VM runs.
    pub standstill: Option<Explanation>,
}

/// For so long holds what a look at the tracing of all processes has found.
const TRACING_HOLDS: Duration = Duration::from_secs(10);

/// The processes that are traced. A look at them reads each process, so there are few.
#[derive(Default)]
pub(crate) struct KnownTracing {
    last: Option<(Instant, Option<TracedProcesses>)>,
}

impl KnownTracing {
    /// Those as of `now`, or not long before. An error is not kept.
    fn at<E>(
        &mut self,
        now: Instant,
        look: impl FnOnce() -> Result<Option<TracedProcesses>, E>,
    ) -> Result<Option<TracedProcesses>, E> {
        let holds = |at: Instant| now.saturating_duration_since(at) < TRACING_HOLDS;
        if let Some((_, found)) = self.last.filter(|(at, _)| holds(*at)) {
            return Ok(found);
        }
        let found = look()?;
        self.last = Some((now, found));
        Ok(found)
    }
}

/// Those of now. Counts of processor time are of the time after `earlier`.
pub(crate) fn circumstances(
    vm: &mut AttachedVm,
    earlier: &CpuLimits,
    tracing: &mut KnownTracing,
) -> Result<Around, AttachError> {
    let by_now = ProcFs::live().cpu_limits(vm.process.pid);
    let processors = processors_since(earlier, &by_now);
    let mut unknown = Vec::new();
    if !processors.groups_known {
        unknown.push(Unknown {
            what: "processors".to_owned(),
            why: "its control group is not in sight".to_owned(),
        });
    }
    let mut facts = UnknownFacts(&mut unknown);
    let online = facts.known("schedulers_online", vm.schedulers_now()?);
    let traced = vm.traced_functions()?;
    let traced = traced.ok_or("not all functions could be looked at");
    let traced = facts.known("traced_functions", traced);
    let processes = tracing.at(Instant::now(), || vm.traced_processes())?;
    let processes = processes
        .ok_or("where its processes have their trace flags is not known, or not all could be read");
    let processes = facts.known("traced_processes", processes);
    let standstill = standstill(vm.process.pid).map_err(|why| why.what);
    let standstill = facts.known("standstill", standstill).flatten();
    let found = Circumstances {
        schedulers_online: online.as_ref().map(schedulers_online),
        processors,
        traced_functions: traced.map(traced_functions),
        traced_processes: processes.map(traced_processes),
        unknown,
    };
    Ok(Around {
        facts: found,
        online,
        standstill,
    })
}

/// Keeps why something is not known, by the name of its member in the JSON of the command line.
pub(crate) struct UnknownFacts<'a>(pub &'a mut Vec<Unknown>);

impl UnknownFacts<'_> {
    pub fn known<T>(&mut self, what: &str, found: Result<T, impl ToString>) -> Option<T> {
        found
            .map_err(|error| {
                self.0.push(Unknown {
                    what: what.to_owned(),
                    why: error.to_string(),
                });
            })
            .ok()
    }

    /// The same of something that several members come from.
    pub fn known_by<T>(&mut self, names: &[&str], found: Result<T, impl ToString>) -> Option<T> {
        let found = found.map_err(|error| error.to_string());
        let why = found.as_ref().err();
        for name in names {
            self.known(name, why.map_or(Ok(()), Err));
        }
        found.ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_are_looked_at_again_after_a_while_and_after_an_error() {
        let mut known = KnownTracing::default();
        let begin = Instant::now();
        let mut at = |s, found: Result<Option<u64>, ()>| {
            let look = || {
                let traced = |traced| TracedProcesses {
                    traced,
                    ..TracedProcesses::default()
                };
                Ok(found?.map(traced))
            };
            let found = known.at(begin + Duration::from_secs(s), look);
            found.map(|found| found.map(|it| it.traced))
        };
        assert_eq!(at(0, Err(())), Err(()));
        assert_eq!(at(0, Ok(Some(1))), Ok(Some(1)));
        assert_eq!(at(9, Ok(Some(2))), Ok(Some(1)));
        assert_eq!(at(10, Ok(None)), Ok(None));
        assert_eq!(
            at(19, Ok(Some(3))),
            Ok(None),
            "not to be tried at each question"
        );
        assert_eq!(at(20, Ok(Some(3))), Ok(Some(3)));
    }
}
