//! `node`: what a VM is like as a whole.

use std::collections::BTreeMap;

use capture::counted::counted;
use capture::processors::ProcessorLimits;
use capture::sample::SchedulerId;
use capture::tracing::{TracedFunctions, TracedProcesses};
use protocol::explanation::Explanation;
use protocol::node::{
    BesidePorts, NodeConnection, NodeResult, OWNERS_OF_PORTS, PortChildren, PortProgram,
    PortQueues, RunQueues, TableFill,
};
use protocol::schedulers::SchedulerState;
use sampling_process::questions;
use serde::Serialize;
use shared_sort::Inserted;

use crate::arguments::inside::Node;
use crate::attaching::attach;
use crate::circumstances::{Online, affinity_line, quota_line, unknown_line};
use crate::commands::nodes::state_text;
use crate::commands::print_json;
use crate::failure::Failure;
use crate::table::{Align, percent, render};
use crate::terminal::{print_line, print_lines};

/// Programs below ports that the table has.
const SHOWN_PROGRAMS: usize = 10;

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct Printed {
    node: Option<String>,
    uptime_s: Option<u64>,
    schedulers: Vec<Scheduler>,
    schedulers_online: Option<Online>,
    looked_ms: u64,
    processors: Option<ProcessorLimits>,
    run_queue: Option<u64>,
    run_queues: Option<RunQueuesByKind>,
    processes: TableFill,
    ports: Option<TableFill>,
    atoms: TableFill,
    collections: Option<u64>,
    reclaimed_words: Option<u64>,
    reductions: Option<u64>,
    context_switches: Option<u64>,
    io_in_bytes: Option<u64>,
    io_out_bytes: Option<u64>,
    memory_bytes: Option<u64>,
    rss_bytes: Option<u64>,
    port_queues: Option<Queues>,
    children: Option<PortChildren>,
    timers: Option<u64>,
    traced_functions: Option<TracedFunctions>,
    traced_processes: Option<TracedProcesses>,
    connections: Option<Vec<Connection>>,
    /// The members that are null, and why.
    unknown: BTreeMap<String, String>,
    /// Why nothing of it runs; null when it runs.
    standstill: Option<Explanation>,
}

#[derive(Debug, Serialize)]
struct Queues {
    ports: u64,
    bytes: u64,
    longest: Vec<Queue>,
    rejected: u64,
}

#[derive(Debug, Serialize)]
struct Queue {
    port: String,
    name: String,
    owner: Option<String>,
    queue_bytes: u64,
    in_bytes: u64,
    out_bytes: u64,
    busy: bool,
}

#[derive(Debug, Serialize)]
struct Connection {
    node: String,
    state: &'static str,
    queue_bytes: Option<u64>,
    busy: Option<bool>,
}

#[derive(Debug, Serialize)]
struct Scheduler {
    kind: &'static str,
    number: u32,
    busy_pct: f64,
    state: Option<SchedulerState>,
}

#[derive(Debug, Serialize)]
struct RunQueuesByKind {
    normal: u64,
    dirty_cpu: u64,
    dirty_io: u64,
}

/// Runs `node`.
pub fn run(arguments: &Node) -> Result<(), Failure> {
    let pid = arguments.pid;
    let (mut sampler, attached) = attach(pid)?;
    let node = sampler.ask(questions::Node { look_ms: 1000 }, &|| false)?;
    let printed = Printed {
        node: Some(attached.target.node).filter(|node| !node.is_empty()),
        uptime_s: node.uptime_s,
        schedulers: schedulers(&node),
        schedulers_online: node.schedulers_online.map(Online::from),
        looked_ms: node.looked_ms,
        processors: node.processors,
        run_queue: node.run_queues.map(RunQueues::total),
        run_queues: node.run_queues.map(|queues| RunQueuesByKind {
            normal: queues.normal,
            dirty_cpu: queues.dirty_cpu,
            dirty_io: queues.dirty_io,
        }),
        processes: node.processes,
        ports: node.ports,
        atoms: node.atoms,
        collections: node.counters.collections,
        reclaimed_words: node.counters.reclaimed_words,
        reductions: node.counters.reductions,
        context_switches: node.counters.context_switches,
        io_in_bytes: node.counters.io_in_bytes,
        io_out_bytes: node.counters.io_out_bytes,
        memory_bytes: node.memory_bytes,
        rss_bytes: node.rss_bytes,
        port_queues: node.port_queues.map(queues),
        children: node.children,
        timers: node.timers,
        traced_functions: node.traced_functions,
        traced_processes: node.traced_processes,
        connections: node
            .connections
            .map(|all| all.into_iter().map(connection).collect()),
        unknown: node
            .unknown
            .into_iter()
            .map(|it| (it.what, it.why))
            .inserted(),
        standstill: node.standstill,
    };
    match arguments.json {
        true => print_json(&printed),
        false => print(pid, &printed),
    }
}

fn schedulers(node: &NodeResult) -> Vec<Scheduler> {
    let each = node.schedulers.iter().map(|share| {
        let (kind, number) = kind_and_number(share.scheduler);
        Scheduler {
            kind,
            number,
            busy_pct: (share.busy * 1000.0).round() / 10.0,
            state: share.state,
        }
    });
    each.collect()
}

/// A scheduler in JSON.
pub(super) fn kind_and_number(scheduler: SchedulerId) -> (&'static str, u32) {
    match scheduler {
        SchedulerId::Normal(number) => ("normal", number),
        SchedulerId::DirtyCpu(number) => ("dirty_cpu", number),
        SchedulerId::DirtyIo(number) => ("dirty_io", number),
    }
}

/// In a table.
pub(super) fn scheduler_label(kind: &str, number: u32) -> String {
    let kind = match kind {
        "normal" => "",
        "dirty_cpu" => "dirty CPU ",
        _ => "dirty I/O ",
    };
    format!("{kind}{number}")
}

fn queues(queues: PortQueues) -> Queues {
    let longest = queues.longest.into_iter().map(|it| Queue {
        port: it.port,
        name: it.name,
        owner: it.owner,
        queue_bytes: it.queue_bytes,
        in_bytes: it.in_bytes,
        out_bytes: it.out_bytes,
        busy: it.busy,
    });
    Queues {
        ports: queues.ports,
        bytes: queues.bytes,
        longest: longest.collect(),
        rejected: queues.rejected,
    }
}

/// The owner of a port.
fn owner_text(owner: Option<&str>, are_owners_known: bool) -> &str {
    let none = match are_owners_known {
        true => "no process",
        false => "an owner that is not known",
    };
    owner.unwrap_or(none)
}

fn children_lines(children: &PortChildren, are_owners_known: bool) -> Vec<String> {
    let time = |ms: Option<u64>, least: &str| {
        ms.map_or_else(|| "not known".to_owned(), |ms| format!("{least}{ms} ms"))
    };
    let least = match children.uncounted {
        0 => "",
        _ => "at least ",
    };
    let mut lines = vec![format!(
        "{least}{} below ports: {} ms of processor time, {} bytes resident; programs that ended: {}; the VM itself: {}",
        processes_text(children.processes),
        children.cpu_ms,
        children.rss_bytes,
        time(children.ended_cpu_ms, "at least "),
        time(children.vm_cpu_ms, ""),
    )];
    lines.extend(children.programs.iter().take(SHOWN_PROGRAMS).map(|it| {
        let port = match (&it.port, &it.name) {
            (Some(port), Some(name)) => {
                let owner = owner_text(it.owner.as_deref(), are_owners_known);
                format!("{port} {name} of {owner}")
            }
            _ => "port not known".to_owned(),
        };
        let PortProgram {
            pid,
            cpu_ms,
            rss_bytes,
            processes,
            ..
        } = it;
        format!(
            "  {pid}, {port}: {cpu_ms} ms, {rss_bytes} bytes, {}",
            processes_text(*processes)
        )
    }));
    let shown = lines.len() - 1;
    match children.more + (children.programs.len() - shown) as u64 {
        0 => {}
        more => lines.push(format!("  {}", counted(more, "more program"))),
    }
    lines
}

/// `None` where there was no such process, and where that is not known.
fn beside_ports_line(children: &PortChildren) -> Option<String> {
    let used = children.beside_ports?;
    (used != BesidePorts::default()).then(|| {
        format!(
            "{} below no port: at least {} ms of processor time with those that ended, {} bytes resident",
            processes_text(used.processes),
            used.cpu_ms,
            used.rss_bytes
        )
    })
}

fn processes_text(processes: u64) -> String {
    match processes {
        1 => "1 process".to_owned(),
        more => format!("{more} processes"),
    }
}

fn connection(it: NodeConnection) -> Connection {
    Connection {
        node: it.node,
        state: state_text(it.state),
        queue_bytes: it.queue_bytes,
        busy: it.busy,
    }
}

fn print(pid: u32, node: &Printed) -> Result<(), Failure> {
    let name = node.node.as_deref().unwrap_or("no node of a cluster");
    let up = node.uptime_s.map_or_else(String::new, |seconds| {
        format!(", up for {}", duration(seconds))
    });
    print_line(&format!("process {pid}: {name}{up}"))?;
    let queues = match &node.run_queues {
        Some(queues) => format!(
            "{} wait to be run, {} for dirty CPU schedulers, {} for dirty I/O schedulers",
            queues.normal, queues.dirty_cpu, queues.dirty_io
        ),
        None => "how many wait to be run is not known for this VM".to_owned(),
    };
    print_line(&queues)?;
    if let Some(online) = &node.schedulers_online {
        print_lines(online.lines.iter().cloned())?;
    }
    print_lines(node.processors.iter().flat_map(processor_lines))?;
    print_line("")?;
    let filled = |name: &str, fill: &TableFill| {
        vec![
            name.to_owned(),
            fill.count.to_string(),
            fill.limit.to_string(),
            percent(f64::from(fill.count) * 100.0 / f64::from(fill.limit.max(1))),
        ]
    };
    let mut rows = vec![filled("processes", &node.processes)];
    rows.extend(node.ports.iter().map(|ports| filled("ports", ports)));
    rows.push(filled("atoms", &node.atoms));
    print_lines(render(
        &[
            ("", Align::Left),
            ("there are", Align::Right),
            ("limit", Align::Right),
            ("%", Align::Right),
        ],
        &rows,
    ))?;
    print_line("")?;
    let rows: Vec<Vec<String>> = node.schedulers.iter().filter_map(scheduler_row).collect();
    if !rows.is_empty() {
        print_lines(render(
            &[("scheduler", Align::Left), ("busy %", Align::Right)],
            &rows,
        ))?;
    }
    print_lines(idle_dirty_line(&node.schedulers))?;
    print_counted(node)?;
    print_queues(node)
}

/// Limits of its processor time, and the losses during the look.
fn processor_lines(limits: &ProcessorLimits) -> Vec<String> {
    let quota = match quota_line(limits, "during this look") {
        Some(quota) => Some(quota),
        None if limits.groups_known && limits.whole_tree => {
            Some("no quota of its processor time".to_owned())
        }
        None if limits.groups_known => {
            Some("no quota of its processor time in the control groups in sight".to_owned())
        }
        // Among the unknown facts.
        None => None,
    };
    let waited = [
        ("stolen by a hypervisor", limits.stolen_ms),
        (
            "threads of this machine waited for a processor",
            limits.pressure_ms,
        ),
        (
            "threads of its control group waited",
            limits.group_pressure_ms,
        ),
    ];
    let waited = waited
        .into_iter()
        .filter_map(|(what, ms)| Some(format!("{what} {} ms", ms?)));
    let waited: Vec<String> = waited.collect();
    let mut lines: Vec<String> = quota.into_iter().collect();
    lines.extend(affinity_line(limits));
    if !waited.is_empty() {
        lines.push(waited.join(", "));
    }
    lines
}

/// Its counts since it started, and its memory.
fn print_counted(node: &Printed) -> Result<(), Failure> {
    let counted = [
        ("collections", node.collections),
        ("words reclaimed", node.reclaimed_words),
        ("reductions", node.reductions),
        ("context switches", node.context_switches),
        ("bytes in", node.io_in_bytes),
        ("bytes out", node.io_out_bytes),
        ("memory, bytes", node.memory_bytes),
        ("resident, bytes", node.rss_bytes),
    ];
    let text =
        |value: Option<u64>| value.map_or_else(|| "not known".to_owned(), |it| it.to_string());
    let rows: Vec<Vec<String>> = counted
        .iter()
        .map(|(name, value)| vec![(*name).to_owned(), text(*value)])
        .collect();
    print_line("")?;
    print_lines(render(
        &[("since it started", Align::Left), ("", Align::Right)],
        &rows,
    ))?;
    Ok(())
}

fn print_queues(node: &Printed) -> Result<(), Failure> {
    print_line("")?;
    let are_owners_known = !node.unknown.contains_key(OWNERS_OF_PORTS);
    if let Some(timers) = node.timers {
        print_line(&format!("{} set", counted(timers, "timer")))?;
    }
    let functions = node.traced_functions.and_then(|found| found.heading());
    let processes = node.traced_processes.and_then(|found| found.heading());
    print_lines(functions.into_iter().chain(processes))?;
    if let Some(queues) = &node.port_queues {
        print_line(&format!(
            "{} with something to write, {}",
            counted(queues.ports, "port"),
            counted(queues.bytes, "byte")
        ))?;
        for port in &queues.longest {
            let owner = owner_text(port.owner.as_deref(), are_owners_known);
            print_line(&format!(
                "  {} {} of {owner}: {} bytes{}",
                port.port,
                port.name,
                port.queue_bytes,
                if port.busy { ", busy" } else { "" }
            ))?;
        }
    }
    let children = node.children.as_ref();
    if let Some(children) = children.filter(|it| it.processes > 0 || it.ended_cpu_ms != Some(0)) {
        print_lines(children_lines(children, are_owners_known))?;
    }
    print_lines(children.and_then(beside_ports_line))?;
    for it in node.connections.iter().flatten() {
        let queue = match it.queue_bytes {
            Some(bytes) => format!("{bytes} bytes wait"),
            None => "the queue is not known".to_owned(),
        };
        let busy = it.busy.filter(|busy| *busy).map_or("", |_| ", busy");
        print_line(&format!("  {} ({}): {queue}{busy}", it.node, it.state))?;
    }
    for (what, why) in &node.unknown {
        print_line(&unknown_line(what, why))?;
    }
    Ok(())
}

/// Dirty schedulers without a row: they may have run something between two readings.
fn idle_dirty_line(schedulers: &[Scheduler]) -> Option<String> {
    let may_run = |it: &&Scheduler| {
        !matches!(
            it.state,
            Some(SchedulerState::Offline | SchedulerState::Blocked)
        )
    };
    let idle = schedulers.iter().filter(may_run);
    let idle = idle.filter(|it| scheduler_row(it).is_none()).count() as u64;
    (idle > 0).then(|| {
        format!(
            "{} ran nothing at any reading",
            counted(idle, "dirty scheduler")
        )
    })
}

/// Normal schedulers, and dirty ones that ran something: of those there are many.
fn scheduler_row(scheduler: &Scheduler) -> Option<Vec<String>> {
    if scheduler.kind != "normal" && scheduler.busy_pct == 0.0 {
        return None;
    }
    Some(vec![
        scheduler_label(scheduler.kind, scheduler.number),
        match scheduler.state {
            Some(SchedulerState::Offline) => "offline".to_owned(),
            Some(SchedulerState::Blocked) => "blocked".to_owned(),
            Some(SchedulerState::Online) | None => percent(scheduler.busy_pct),
        },
    ])
}

/// Days, hours and minutes; below an hour minutes and seconds.
fn duration(seconds: u64) -> String {
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60);
    match (days, hours) {
        (0, 0) => format!("{minutes} min {} s", seconds % 60),
        (0, _) => format!("{hours} h {minutes} min"),
        _ => format!("{days} d {hours} h {minutes} min"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scheduler_that_may_not_run_has_no_share() {
        let cells = |kind, busy_pct, state| {
            scheduler_row(&Scheduler {
                kind,
                number: 2,
                busy_pct,
                state,
            })
        };
        let row = |name: &str, text: &str| Some(vec![name.to_owned(), text.to_owned()]);
        use SchedulerState::{Blocked, Offline, Online};
        assert_eq!(cells("normal", 0.0, Some(Online)), row("2", "0.0"));
        assert_eq!(cells("normal", 0.0, None), row("2", "0.0"));
        assert_eq!(cells("normal", 0.0, Some(Offline)), row("2", "offline"));
        assert_eq!(cells("normal", 0.0, Some(Blocked)), row("2", "blocked"));
        assert_eq!(cells("dirty_cpu", 0.0, Some(Online)), None);
        assert_eq!(cells("dirty_cpu", 0.0, Some(Offline)), None);
    }

    #[test]
    fn a_dirty_scheduler_ran_nothing_whenever_it_was_read() {
        let each = |kind, busy_pct, state| Scheduler {
            kind,
            number: 1,
            busy_pct,
            state,
        };
        use SchedulerState::{Blocked, Offline, Online};
        let mut schedulers = vec![
            each("normal", 0.0, Some(Online)),
            each("dirty_cpu", 0.5, Some(Online)),
            each("dirty_cpu", 0.0, Some(Offline)),
            each("dirty_io", 0.0, Some(Blocked)),
        ];
        assert_eq!(idle_dirty_line(&schedulers), None);
        schedulers.push(each("dirty_io", 0.0, Some(Online)));
        assert_eq!(
            idle_dirty_line(&schedulers).as_deref(),
            Some("1 dirty scheduler ran nothing at any reading")
        );
        schedulers.push(each("dirty_cpu", 0.0, None));
        assert_eq!(
            idle_dirty_line(&schedulers).as_deref(),
            Some("2 dirty schedulers ran nothing at any reading")
        );
    }

    #[test]
    fn an_unknown_owner_is_not_shown_as_none() {
        let program = |owner: Option<&str>| PortProgram {
            port: Some("#Port<0.4>".to_owned()),
            name: Some("cat".to_owned()),
            owner: owner.map(str::to_owned),
            ..PortProgram::default()
        };
        let line = |owner, are_owners_known| {
            let children = PortChildren {
                programs: vec![program(owner)],
                ..PortChildren::default()
            };
            children_lines(&children, are_owners_known)[1].clone()
        };
        assert!(line(Some("<0.80.0>"), true).contains("#Port<0.4> cat of <0.80.0>: "));
        assert!(line(None, true).contains(" cat of no process: "));
        assert!(line(None, false).contains(" cat of an owner that is not known: "));
    }

    #[test]
    fn children_below_no_port_have_a_line_where_there_were_some() {
        let line = |beside_ports| {
            beside_ports_line(&PortChildren {
                beside_ports,
                ..PortChildren::default()
            })
        };
        assert_eq!(line(None), None);
        assert_eq!(line(Some(BesidePorts::default())), None);
        let used = BesidePorts {
            cpu_ms: 340,
            rss_bytes: 4096,
            processes: 1,
        };
        assert_eq!(
            line(Some(used)).unwrap(),
            "1 process below no port: at least 340 ms of processor time with those that ended, 4096 bytes resident"
        );
    }

    #[test]
    fn a_time_has_two_or_three_parts() {
        assert_eq!(duration(59), "0 min 59 s");
        assert_eq!(duration(3_600), "1 h 0 min");
        assert_eq!(duration(90_061), "1 d 1 h 1 min");
    }
}
