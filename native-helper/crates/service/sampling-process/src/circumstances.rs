//! What takes a VM's time or limits its processors while it is read: tracing, a quota, schedulers that may not run.

use attach::{AttachError, AttachedVm, SchedulersNow};
use diagnose::standstill::standstill;
use protocol::explanation::Explanation;
use protocol::node::Unknown;
use recorder::{processors_since, schedulers_online, traced_functions, traced_processes};
use target_proc::ProcFs;
use target_proc::cpu_limits::CpuLimits;

use crate::dialog::Circumstances;

/// The circumstances, and parts of them as the VM has them.
pub(crate) struct Around {
    pub told: Circumstances,
    /// Which schedulers may run.
    pub online: Option<SchedulersNow>,
    /// Why nothing of the VM runs.
    pub standstill: Option<Explanation>,
}

/// Those of now. Counts of processor time are of the time after `earlier`.
pub(crate) fn circumstances(
    vm: &mut AttachedVm,
    earlier: &CpuLimits,
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
    let mut told = UnknownFacts(&mut unknown);
    let online = told.known("schedulers_online", vm.schedulers_now()?);
    let traced = vm.traced_functions()?;
    let traced = traced.ok_or("not all functions could be looked at");
    let traced = told.known("traced_functions", traced);
    let processes = vm.traced_processes()?;
    let processes = processes
        .ok_or("where its processes have their trace flags is not known, or not all could be read");
    let processes = told.known("traced_processes", processes);
    let standstill = standstill(vm.process.pid).map_err(|why| why.what);
    let standstill = told.known("standstill", standstill).flatten();
    let found = Circumstances {
        schedulers_online: online.as_ref().map(schedulers_online),
        processors,
        traced_functions: traced.map(traced_functions),
        traced_processes: processes.map(traced_processes),
        unknown,
    };
    Ok(Around {
        told: found,
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
