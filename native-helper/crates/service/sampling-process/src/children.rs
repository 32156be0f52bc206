//! The programs that a VM runs below its ports: children of its `erl_child_setup`.

use std::collections::HashMap;

use attach::AttachedVm;
use protocol::node::{PortChildren, PortProgram};
use shared_sort::SharedSort;
use target_proc::ProcFs;
use vm_tables::ports::Port;

/// Programs that are looked at, and those of them that are reported.
const MOST_PROGRAMS: usize = 1000;
const MOST_TOLD: usize = 100;
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
        more: pids.len().saturating_sub(MOST_TOLD) as u64,
        uncounted: pids.len() as u64,
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
        let Some((cpu_ms, rss_bytes, processes)) = used(&proc, pid) else {
            continue;
        };
        let program = PortProgram {
            pid,
            port: port.as_ref().map(|it| format!("#Port<0.{}>", it.number)),
            owner: port.as_ref().and_then(|it| Some(vm.pids?.text(it.owner?))),
            name: port.map(|it| it.name),
            cpu_ms,
            rss_bytes,
            processes,
        };
        all.cpu_ms = all.cpu_ms.saturating_add(program.cpu_ms);
        all.rss_bytes = all.rss_bytes.saturating_add(program.rss_bytes);
        all.processes += program.processes;
        all.programs.push(program);
    }
    all.programs
        .shared_sort_by(|a, b| (b.cpu_ms, b.rss_bytes, a.pid).cmp(&(a.cpu_ms, a.rss_bytes, b.pid)));
    all.programs.truncate(MOST_TOLD);
    Ok(all)
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

/// Milliseconds, resident bytes and processes of a program with all below it; `None` when it has ended. Nothing of
/// those below it that have ended counts.
fn used(proc: &ProcFs, pid: u32) -> Option<(u64, u64, u64)> {
    let ticks = |pid: &u32| Some((*pid, proc.cpu_ticks_with_children(*pid)?));
    let tree = proc.with_descendants(&[pid]);
    let running: Vec<(u32, u64)> = tree.iter().filter_map(ticks).collect();
    running.first().filter(|(first, _)| *first == pid)?;
    let cpu_ms = running.iter().map(|(_, ticks)| ms(*ticks));
    // One that has no memory any more was not waited for.
    let rss_bytes = running
        .iter()
        .filter_map(|(pid, _)| proc.resident_bytes(*pid));
    Some((
        cpu_ms.fold(0, u64::saturating_add),
        rss_bytes.fold(0, u64::saturating_add),
        running.len() as u64,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_has_ended_is_none_and_unknown_time_of_ended_ones_is_not_all_of_it() {
        let live = ProcFs::live();
        let own = std::process::id();
        let (_, rss_bytes, processes) = used(&live, own).unwrap();
        assert!(rss_bytes > 0 && processes > 0);
        assert!(ended_ms(&live, own).is_some());
        let ended = u32::MAX / 2;
        assert_eq!((used(&live, ended), ended_ms(&live, ended)), (None, None));
    }
}
