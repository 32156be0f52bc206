//! The programs that a VM runs below its ports: children of its `erl_child_setup`.

use attach::AttachedVm;
use protocol::node::{BesidePorts, PortChildren, PortProgram};
use shared_map::HashMap;
use shared_sort::SharedSort;
use target_proc::ProcFs;
use vm_tables::ports::Port;

/// Programs that are looked at, and those of them that are reported.
const MOST_PROGRAMS: usize = 1000;
const MOST_REPORTED: usize = 100;
/// Processes from which on no further program is looked at.
const MOST_PROCESSES: u64 = 10_000;
/// The kernel's unit of processor time for programs.
const TICK_MS: u64 = 10;

/// The programs of `vm` with their ports, by the pids that they have for the VM; or why they are not known.
pub(crate) fn children(
    vm: &AttachedVm,
    mut ports: HashMap<u32, Option<Port>>,
) -> Result<PortChildren, String> {
    let proc = ProcFs::live();
    let why = |error: target_proc::ProcError| error.to_string();
    let depth = proc
        .status(vm.process.pid)
        .map_err(why)?
        .namespace_pids
        .len();
    let starter = proc.port_starter(vm.process.pid).map_err(why)?;
    let starter = starter.ok_or("its erl_child_setup is not in sight")?;
    let pids = proc.children(starter).map_err(why)?;
    let mut all = PortChildren {
        vm_cpu_ms: proc.activity(vm.process.pid).map(|it| ms(it.cpu_ticks)),
        ended_cpu_ms: ended_ms(&proc, starter),
        more: pids.len().saturating_sub(MOST_REPORTED) as u64,
        uncounted: pids.len() as u64,
        beside_ports: beside_ports(&proc, vm.process.pid, starter),
        ..PortChildren::default()
    };
    for pid in pids.into_iter().take(MOST_PROGRAMS) {
        if all.processes >= MOST_PROCESSES {
            break;
        }
        let status = proc.status(pid);
        let for_vm = status
            .ok()
            .and_then(|it| it.namespace_pids.get(depth.max(1) - 1).copied());
        let port = for_vm.and_then(|pid| ports.remove(&pid)).flatten();
        all.uncounted -= 1;
        let Some(used) = proc.use_of_tree(pid) else {
            // One that runs on is in no sum.
            all.uncounted += u64::from(!proc.has_ended(pid));
            continue;
        };
        let program = PortProgram {
            pid,
            port: port.as_ref().map(|it| format!("#Port<0.{}>", it.number)),
            owner: port.as_ref().and_then(|it| Some(vm.pids?.text(it.owner?))),
            name: port.map(|it| it.name),
            cpu_ms: ms(used.cpu_ticks),
            rss_bytes: used.rss_bytes,
            processes: used.processes,
        };
        all.cpu_ms = all.cpu_ms.saturating_add(program.cpu_ms);
        all.rss_bytes = all.rss_bytes.saturating_add(program.rss_bytes);
        all.processes += program.processes;
        all.programs.push(program);
    }
    all.programs
        .shared_sort_by(|a, b| (b.cpu_ms, b.rss_bytes, a.pid).cmp(&(a.cpu_ms, a.rss_bytes, b.pid)));
    all.programs.truncate(MOST_REPORTED);
    Ok(all)
}

fn beside_ports(proc: &ProcFs, vm: u32, starter: u32) -> Option<BesidePorts> {
    proc.use_beside_ports(vm, starter).map(|used| BesidePorts {
        cpu_ms: ms(used.cpu_ticks),
        rss_bytes: used.rss_bytes,
        processes: used.processes,
    })
}

fn ms(ticks: u64) -> u64 {
    ticks.saturating_mul(TICK_MS)
}

/// Processor time of the programs that have ended, milliseconds, at least: they were children of `starter`.
fn ended_ms(proc: &ProcFs, starter: u32) -> Option<u64> {
    let own = proc.activity(starter)?.cpu_ticks;
    Some(ms(proc
        .cpu_ticks_with_children(starter)?
        .saturating_sub(own)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_ended_programs_is_unknown_once_their_parent_has_ended() {
        let live = ProcFs::live();
        assert!(ended_ms(&live, std::process::id()).is_some());
        assert_eq!(ended_ms(&live, u32::MAX / 2), None);
    }
}
