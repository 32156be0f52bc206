//! `node`: what a VM is like as a whole.

use capture::sample::SchedulerId;
use protocol::node::{NodeResult, RunQueues, TableFill};
use serde::Serialize;
use target_proc::ProcFs;

use crate::arguments::inside::Node;
use crate::attaching::attach;
use crate::commands::print_json;
use crate::failure::Failure;
use crate::table::{Align, percent, render};
use crate::terminal::{print_line, print_lines};

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct Printed {
    node: Option<String>,
    uptime_s: Option<u64>,
    schedulers: Vec<Scheduler>,
    looked_ms: u64,
    run_queue: Option<u64>,
    run_queues: Option<RunQueuesByKind>,
    processes: TableFill,
    ports: Option<TableFill>,
    atoms: TableFill,
}

#[derive(Debug, Serialize)]
struct Scheduler {
    kind: &'static str,
    number: u32,
    busy_pct: f64,
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
    let node = sampler.node(1000, &|| false)?;
    let uptime = ProcFs::live().age_since(attached.start_ticks);
    let printed = Printed {
        node: Some(attached.target.node).filter(|node| !node.is_empty()),
        uptime_s: uptime.map(|uptime| uptime.as_secs()),
        schedulers: schedulers(&node),
        looked_ms: node.looked_ms,
        run_queue: node.run_queues.map(total),
        run_queues: node.run_queues.map(|queues| RunQueuesByKind {
            normal: queues.normal,
            dirty_cpu: queues.dirty_cpu,
            dirty_io: queues.dirty_io,
        }),
        processes: node.processes,
        ports: node.ports,
        atoms: node.atoms,
    };
    match arguments.json {
        true => print_json(&printed),
        false => print(pid, &printed),
    }
}

fn schedulers(node: &NodeResult) -> Vec<Scheduler> {
    let each = node.schedulers.iter().map(|share| {
        let (kind, number) = match share.scheduler {
            SchedulerId::Normal(number) => ("normal", number),
            SchedulerId::DirtyCpu(number) => ("dirty_cpu", number),
            SchedulerId::DirtyIo(number) => ("dirty_io", number),
        };
        Scheduler {
            kind,
            number,
            busy_pct: (share.busy * 1000.0).round() / 10.0,
        }
    });
    each.collect()
}

fn total(queues: RunQueues) -> u64 {
    queues
        .normal
        .saturating_add(queues.dirty_cpu)
        .saturating_add(queues.dirty_io)
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
    print_lines(render(
        &[("scheduler", Align::Left), ("busy %", Align::Right)],
        &rows,
    ))?;
    let idle_dirty = node.schedulers.len() - rows.len();
    if idle_dirty > 0 {
        print_line(&format!("{idle_dirty} dirty schedulers ran nothing"))?;
    }
    Ok(())
}

/// Normal schedulers, and dirty ones that ran something: of those there are many.
fn scheduler_row(scheduler: &Scheduler) -> Option<Vec<String>> {
    let kind = match scheduler.kind {
        "normal" => "",
        _ if scheduler.busy_pct == 0.0 => return None,
        "dirty_cpu" => "dirty CPU ",
        _ => "dirty I/O ",
    };
    Some(vec![
        format!("{kind}{}", scheduler.number),
        percent(scheduler.busy_pct),
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
    fn a_time_has_two_or_three_parts() {
        assert_eq!(duration(59), "0 min 59 s");
        assert_eq!(duration(3_600), "1 h 0 min");
        assert_eq!(duration(90_061), "1 d 1 h 1 min");
    }
}
