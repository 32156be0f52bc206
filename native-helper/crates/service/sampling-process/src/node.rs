//! A snapshot of a VM as a whole: its schedulers are read repeatedly for a while.

use std::time::{Duration, Instant};

use attach::{AttachError, AttachedVm, NodeReader, SchedulersNow};
use protocol::explanation::Explanation;
use protocol::node::{
    NodeConnection, NodeCounters, NodeResult, OWNERS_OF_PORTS, PortKind, PortQueue, PortQueues,
    RunQueues, SchedulerShare, TableFill,
};
use target_proc::ProcFs;
use vm_tables::fill::Fill;
use vm_tables::nodes::{KnownNodes, NodeState as StateInTable};
use vm_tables::ports::{PortKind as KindInTable, PortQueues as QueuesInTable};
use vm_tables::run_queues::RunQueueCounts;
use vm_tables::scheduler_counters::SchedulerCounts;
use vm_tables::scheduler_use::SchedulerUse;

use crate::children::children;
use crate::circumstances::{Around, KnownTracing, UnknownFacts, circumstances};
use crate::ending::is_ending;
use crate::nodes::connection_state;
use crate::schedulers::{id_of, state_of};

/// Members that come from the run queues, and from the counters of schedulers.
const OF_QUEUES: [&str; 4] = ["run_queue", "run_queues", "reductions", "context_switches"];
pub(crate) const OF_COUNTERS: [&str; 4] = [
    "collections",
    "reclaimed_words",
    "io_in_bytes",
    "io_out_bytes",
];
/// Why it is not known what the schedulers would run.
const ENDING: &str = "the VM is ending: a process is in erlang:halt or a crash dump is written, and the other \
                      schedulers are kept from running";
/// Reported names and owners of ports.
const MOST_KINDS: usize = 100;
/// The longest time for which schedulers are observed.
const LONGEST_MS: u32 = 1000;
/// Pauses between readings, one after the other: their lengths have no common measure, so that work at
/// regular times is neither met each time nor missed.
const PAUSES_US: [u64; 7] = [3_109, 7_351, 4_027, 6_143, 4_801, 5_557, 3_919];

pub(crate) fn node_result(
    vm: &mut AttachedVm,
    (reader, tracing): (&mut Option<NodeReader>, &mut KnownTracing),
    look_ms: u32,
) -> Result<NodeResult, AttachError> {
    let counts = vm.node_counts()?;
    let began = Instant::now();
    let limits = ProcFs::live().cpu_limits(vm.process.pid);
    let mut schedulers = match look_ms.min(LONGEST_MS) {
        0 => Vec::new(),
        look_ms => scheduler_shares(vm, Duration::from_millis(look_ms.into()))?,
    };
    let looked_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    let Around {
        facts: around,
        online,
        standstill,
    } = circumstances(vm, &limits, tracing)?;
    let mut unknown = around.unknown;
    let mut facts = UnknownFacts(&mut unknown);
    if let Some(why) = runs_not(vm, standstill.as_ref(), &schedulers) {
        schedulers.clear();
        facts.known::<()>("schedulers", Err(why));
    }
    set_states(&mut schedulers, online.as_ref());
    let numbers = vm.node_numbers(reader)?;
    let queues = facts.known_by(&OF_QUEUES, numbers.queues);
    let counted = facts.known_by(&OF_COUNTERS, numbers.counters);
    facts.known(OWNERS_OF_PORTS, vm.pid_format());
    let port_queues = vm.port_queues()?;
    let port_kinds = vm.port_kinds()?;
    let program_ports = vm.program_ports()?;
    let timers = vm.timers()?;
    let connections = vm.connections()?;
    let age = ProcFs::live().age_since(vm.process.start_ticks);
    Ok(NodeResult {
        uptime_s: age.map(|age| age.as_secs()),
        schedulers,
        schedulers_online: around.schedulers_online,
        looked_ms,
        run_queues: queues.map(run_queues),
        processes: fill(counts.processes),
        ports: counts.ports.map(fill),
        atoms: fill(counts.atoms),
        counters: counters(counted, queues),
        memory_bytes: facts.known("memory_bytes", numbers.memory_bytes),
        rss_bytes: numbers.rss_bytes,
        port_queues: facts
            .known("port_queues", port_queues)
            .map(|queues| port_queues_of(vm, queues)),
        port_kinds: facts
            .known("port_kinds", port_kinds)
            .map(|kinds| port_kinds_of(vm, kinds)),
        children: facts
            .known("children", program_ports)
            .and_then(|ports| facts.known("children", children(vm, ports))),
        timers: facts.known("timers", timers),
        traced_functions: around.traced_functions,
        traced_processes: around.traced_processes,
        connections: facts.known("connections", connections).map(connections_of),
        processors: Some(around.processors),
        unknown,
        standstill,
    })
}

/// Why no scheduler runs the process that the VM's own data names: of a stopped VM, and of one that is ending, where
/// some seem busy, with the process that each had, and others idle.
fn runs_not<'a>(
    vm: &mut AttachedVm,
    standstill: Option<&'a Explanation>,
    schedulers: &[SchedulerShare],
) -> Option<&'a str> {
    let is_ending = |vm| is_ending(vm).unwrap_or(false);
    let stands_still = standstill.map(|why| why.what.as_str());
    stands_still.or_else(|| (!schedulers.is_empty() && is_ending(vm)).then_some(ENDING))
}

/// Without `now` the states are not known.
fn set_states(schedulers: &mut [SchedulerShare], now: Option<&SchedulersNow>) {
    for share in schedulers {
        share.state = now.map(|now| state_of(now, share.scheduler));
    }
}

pub(crate) fn run_queues(RunQueueCounts { lengths, .. }: RunQueueCounts) -> RunQueues {
    RunQueues {
        normal: lengths.normal,
        dirty_cpu: lengths.dirty_cpu,
        dirty_io: lengths.dirty_io,
    }
}

pub(crate) fn counters(
    counted: Option<SchedulerCounts>,
    queues: Option<RunQueueCounts>,
) -> NodeCounters {
    NodeCounters {
        collections: counted.map(|it| it.collections),
        reclaimed_words: counted.map(|it| it.reclaimed_words),
        reductions: queues.map(|it| it.reductions),
        context_switches: queues.map(|it| it.context_switches),
        io_in_bytes: counted.map(|it| it.io_in_bytes),
        io_out_bytes: counted.map(|it| it.io_out_bytes),
    }
}

fn port_kinds_of(vm: &AttachedVm, kinds: Vec<KindInTable>) -> Vec<PortKind> {
    let kinds = kinds.into_iter().take(MOST_KINDS);
    let shown = kinds.map(|kind| PortKind {
        name: kind.name,
        owner: kind
            .owner
            .zip(vm.pids)
            .map(|(owner, pids)| pids.text(owner)),
        ports: kind.ports,
    });
    shown.collect()
}

fn port_queues_of(vm: &AttachedVm, queues: QueuesInTable) -> PortQueues {
    let longest = queues.longest.into_iter().map(|port| PortQueue {
        port: format!("#Port<0.{}>", port.number),
        name: port.name,
        owner: port
            .owner
            .zip(vm.pids)
            .map(|(owner, pids)| pids.text(owner)),
        queue_bytes: port.queue_bytes,
        in_bytes: port.in_bytes,
        out_bytes: port.out_bytes,
        busy: port.is_busy,
    });
    PortQueues {
        ports: queues.with_queue,
        bytes: queues.queue_bytes,
        longest: longest.collect(),
        rejected: queues.rejected,
    }
}

/// Those that are connected, or about to be.
fn connections_of(known: KnownNodes) -> Vec<NodeConnection> {
    let others = known.others.into_iter();
    let connected = others.filter(|node| node.state != StateInTable::NotConnected);
    let shown = connected.map(|node| NodeConnection {
        node: node.name,
        state: connection_state(node.state),
        queue_bytes: node.queue.map(|queue| queue.bytes),
        busy: node.queue.map(|queue| queue.is_busy),
    });
    shown.collect()
}

fn scheduler_shares(
    vm: &mut AttachedVm,
    longest: Duration,
) -> Result<Vec<SchedulerShare>, AttachError> {
    let mut seen = vm.look(|vm| Ok(SchedulerUse::of(&vm.schedulers, &vm.layout.scheduler)?))?;
    let began = Instant::now();
    for pause_us in PAUSES_US.into_iter().cycle() {
        if began.elapsed() >= longest {
            break;
        }
        vm.look_at_schedulers(&mut seen)?;
        std::thread::sleep(Duration::from_micros(pause_us));
    }
    let shares = vm.schedulers.iter().zip(seen.shares());
    let shares = shares.map(|(scheduler, busy)| SchedulerShare {
        scheduler: id_of(scheduler),
        busy,
        state: None,
    });
    Ok(shares.collect())
}

fn fill(Fill { count, limit }: Fill) -> TableFill {
    TableFill { count, limit }
}
