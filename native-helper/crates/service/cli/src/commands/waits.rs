//! `waits`: where the processes of a VM wait.

use std::time::{Duration, Instant};

use capture::counted::counted;
use capture::file::{CaptureFile, IfExists};
use diagnose::refusal::Refusal;
use protocol::explanation::Explanation;
use protocol::waits::{
    LateCause, LateTimeLimits, SleepingInC, UnknownCall, WaitedLock, WaitedProcess, WaitingEdge,
    WaitingEnd, WaitingGroup, WaitsGraph, WaitsLook, WaitsResult,
};
use sampling_process::{Sampler, questions};
use serde::Serialize;
use shared_sort::SharedSort;

use crate::arguments::inside::Waits;
use crate::attaching::attach;
use crate::circumstances::Circumstances;
use crate::commands::print_json;
use crate::failure::Failure;
use crate::progress::ProgressLine;
use crate::stop_flag::StopFlag;
use crate::table::{Align, render};
use crate::terminal::{print_line, print_lines};

/// How often the stop flag is checked.
const LOOK_INTERVAL: Duration = Duration::from_millis(50);
/// Rows of the table, and frames of a row.
const SHOWN_ROWS: usize = 20;
const SHOWN_FRAMES: usize = 4;
/// Names of a row.
const SHOWN_NAMES: usize = 2;
/// Calls that are not known.
const SHOWN_UNKNOWN: usize = 5;
/// Those that others wait for.
const SHOWN_ENDS: usize = 5;
/// Of those in loops by their name.
const MAYBE_CALLS: &str = "in a called function with \"loop\" in its name, for a reply or for any message, which is not known";
/// Where the times of the schedulers cannot be read.
const LATE_UNKNOWN: &str = "whether time limits or timers are late is not known";

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct Printed {
    seconds: f64,
    looks: u64,
    processes: u64,
    waiting: u64,
    restless: u64,
    unproven: u64,
    cut: u64,
    full: bool,
    waits: Vec<WaitingGroup>,
    left_out: u64,
    waits_for: WaitsGraph,
    /// Why nothing of the VM runs; null when it runs.
    standstill: Option<Explanation>,
    circumstances: Circumstances,
}

/// Runs `waits`.
pub fn run(arguments: &Waits) -> Result<(), Failure> {
    let stop = StopFlag::install()?;
    let if_exists = match arguments.force {
        true => IfExists::Overwrite,
        false => IfExists::Refuse,
    };
    let file = arguments.output.as_deref();
    // Before the watch: a file that cannot be written is not worth one.
    let file = file.map(|path| CaptureFile::create(path, if_exists));
    let mut file = file.transpose()?;
    let watched = watch(arguments, &stop);
    let Watched {
        printed,
        member,
        gone,
    } = match watched {
        Ok(watched) => watched,
        Err(failure) => {
            if let Some(file) = file {
                file.remove_if_empty();
            }
            return Err(failure);
        }
    };
    if let Some(file) = &mut file {
        // It is written at once, so it is whole or not there.
        file.append_as_is(&member)?;
    }
    match arguments.json {
        true => print_json(&printed)?,
        false => print(&printed, arguments)?,
    }
    gone.map_or(Ok(()), |refusal| Err(refusal.into()))
}

/// The result of the watch.
struct Watched {
    printed: Printed,
    /// The profile of it.
    member: Vec<u8>,
    /// Why it ended early, if it did: the snapshots until then are complete.
    gone: Option<Refusal>,
}

fn watch(arguments: &Waits, stop: &StopFlag) -> Result<Watched, Failure> {
    let (mut sampler, _) = attach(arguments.pid)?;
    let circumstances = Circumstances::of(&mut sampler);
    let mut line = ProgressLine::new();
    let began = Instant::now();
    let end = began + Duration::from_secs_f64(arguments.duration);
    let mut looks = 0;
    let mut last = WaitsLook::default();
    let mut gone = None;
    loop {
        let looked_at = Instant::now();
        match sampler.ask(questions::LookAtWaits {}, &|| false) {
            Ok(look) => last = look,
            Err(refusal) if looks == 0 || sampler.is_lost() => return Err(refusal.into()),
            Err(refusal) => {
                gone = Some(refusal);
                break;
            }
        }
        looks += 1;
        line.show(&format!(
            "{}, look {looks}, Ctrl-C to end",
            processes_text(last.waiting, "waits", "wait")
        ));
        let next = looked_at + Duration::from_millis(last.next_ms);
        // The last snapshot is at the end: its waits have lasted until then.
        if last.full || Instant::now() >= end || !wait_until(next.min(end), stop) {
            break;
        }
    }
    line.clear();
    let watched = (began.elapsed(), looks, last);
    let (printed, member) = finish(&mut sampler, watched, circumstances)?;
    Ok(Watched {
        printed,
        member,
        gone,
    })
}

/// Waits until the time of the next snapshot; false when the command is stopped.
fn wait_until(next: Instant, stop: &StopFlag) -> bool {
    while Instant::now() < next && !stop.is_raised() {
        std::thread::sleep(LOOK_INTERVAL.min(next.saturating_duration_since(Instant::now())));
    }
    !stop.is_raised()
}

fn finish(
    sampler: &mut Sampler,
    (watched, looks, last): (Duration, u64, WaitsLook),
    circumstances: Circumstances,
) -> Result<(Printed, Vec<u8>), Failure> {
    let (
        WaitsResult {
            waits,
            left_out,
            graph,
            standstill,
            // Among the circumstances.
            schedulers: _,
            processors: _,
            standstill_unknown: _,
        },
        member,
    ) = sampler.ask_with_bytes(questions::Waits {}, &|| false)?;
    let printed = Printed {
        seconds: watched.as_secs_f64(),
        looks,
        processes: last.processes,
        waiting: last.waiting,
        restless: last.restless,
        unproven: last.unproven,
        cut: last.cut,
        full: last.full,
        waits,
        left_out,
        waits_for: graph,
        standstill,
        circumstances: circumstances.or_now(sampler),
    };
    Ok((printed, member))
}

fn print(printed: &Printed, arguments: &Waits) -> Result<(), Failure> {
    printed.circumstances.print()?;
    let rows: Vec<Vec<String>> = printed.waits.iter().take(SHOWN_ROWS).map(cells).collect();
    print_lines(render(&COLUMNS, &rows))?;
    let Printed {
        looks,
        seconds,
        processes,
        waiting,
        restless,
        unproven,
        ..
    } = printed;
    print_line(&format!(
        "{} in {seconds:.0} s; in the last one {waiting} of {processes} processes waited, {restless} were running, in C or ending, {unproven} are not known",
        counted(*looks, "look")
    ))?;
    let more = printed.waits.len().saturating_sub(SHOWN_ROWS) as u64 + printed.left_out;
    if more > 0 {
        print_line(&counted(more, "more place"))?;
    }
    print_graph(&printed.waits_for)?;
    if printed.full {
        print_line("the profile is full, so it ended early")?;
    }
    if let Some(file) = &arguments.output {
        print_line(&format!("wrote {}", file.display()))?;
    }
    Ok(())
}

/// Which process waits for which, below the table: nothing where no process is in a call.
fn print_graph(graph: &WaitsGraph) -> Result<(), Failure> {
    if !graph.edges.is_empty() {
        let rows: Vec<Vec<String>> = graph
            .edges
            .iter()
            .take(SHOWN_ROWS)
            .map(edge_cells)
            .collect();
        print_line("")?;
        print_lines(render(&EDGE_COLUMNS, &rows))?;
        print_more(graph.edges.len(), "more that wait for others")?;
    }
    for (index, cycle) in graph.cycles.iter().enumerate().take(SHOWN_ROWS) {
        let names: Vec<String> = cycle
            .iter()
            .chain(cycle.first())
            .map(process_text)
            .collect();
        let limited = graph.cycle_limits.get(index).copied().unwrap_or(0);
        print_line(&format!(
            "{}: {}",
            circle_text(limited, cycle.len()),
            names.join(" -> ")
        ))?;
    }
    print_more(graph.cycles.len(), "more circles")?;
    for end in graph.ends.iter().take(SHOWN_ENDS) {
        print_line(&end_text(end))?;
    }
    print_more(
        graph.ends.len() + SHOWN_ROWS - SHOWN_ENDS,
        "more that others wait for",
    )?;
    for in_c in graph.in_c.iter().take(SHOWN_ROWS) {
        print_line(&in_c_text(in_c))?;
    }
    print_more(graph.in_c.len(), "more in C code")?;
    for late in graph.late.iter().take(SHOWN_ROWS) {
        print_line(&late_text(late))?;
    }
    print_more(
        graph.late.len(),
        "more schedulers with late time limits or timers",
    )?;
    if graph.late_unknown {
        print_line(LATE_UNKNOWN)?;
    }
    print_unknown(graph)?;
    print_lines(beyond_text(graph.more))?;
    if graph.unproven + graph.moved > 0 {
        print_line(&format!(
            "{} more may wait in a call: the target is not proven, or they were not looked at; {} continued during the reading",
            graph.unproven, graph.moved
        ))?;
    }
    if graph.not_searched > 0 {
        print_line(&not_searched_text(graph.not_searched))?;
    }
    Ok(())
}

/// Lines for which the answer itself has no room, so that no number above has them.
fn beyond_text(lines: u64) -> Option<String> {
    (lines > 0).then(|| {
        format!(
            "{} of these lists, beyond those counted above",
            counted(lines, "more line")
        )
    })
}

/// Calls of idle servers on whose requests a process may work that was not found.
fn not_searched_text(calls: u64) -> String {
    format!(
        "{} for an idle one, and it is not known who works on the request",
        processes_text(calls, "waits", "wait")
    )
}

/// Those that wait for an answer in a function that is no known call, and those that may.
fn print_unknown(graph: &WaitsGraph) -> Result<(), Failure> {
    print_calls(
        graph.in_unknown_calls,
        "in a call that is not known",
        &graph.unknown_calls,
    )?;
    print_calls(graph.in_maybe_calls, MAYBE_CALLS, &graph.maybe_calls)
}

fn print_calls(processes: u64, what: &str, calls: &[UnknownCall]) -> Result<(), Failure> {
    if processes == 0 {
        return Ok(());
    }
    print_line(&format!(
        "{} {what}:",
        processes_text(processes, "waits", "wait")
    ))?;
    let rows = unknown_rows(calls);
    for (processes, names, place) in rows.iter().take(SHOWN_UNKNOWN) {
        print_line(&format!("  {processes} {} {place}", names_text(names)))?;
    }
    match rows.len().saturating_sub(SHOWN_UNKNOWN) {
        0 => Ok(()),
        more => Ok(print_line(&format!("  {more} more such calls"))?),
    }
}

/// Those in calls that are not known by function and likely target, with all their names; the most first.
fn unknown_rows(calls: &[UnknownCall]) -> Vec<(u64, Vec<&str>, String)> {
    let mut rows: Vec<(u64, Vec<&str>, String)> = Vec::new();
    for one in calls {
        let whom = match (&one.monitors, &one.asked, &one.keeps) {
            (Some(on), _, _) => format!("with a monitor on {}", process_text(on)),
            (None, Some(asked), _) => {
                format!("likely for {}, which they called", process_text(asked))
            }
            (None, None, Some(pid)) => {
                format!("likely for {}, whose pid they keep", process_text(pid))
            }
            (None, None, None) => "for which process is not known".to_owned(),
        };
        let place = format!("in {}, {whom}", one.call);
        match rows.iter_mut().find(|(_, _, it)| *it == place) {
            Some((processes, names, _)) => {
                *processes += one.processes;
                names.push(&one.waiters);
            }
            None => rows.push((one.processes, vec![&one.waiters], place)),
        }
    }
    rows.shared_sort_by(|(a, ..), (b, ..)| b.cmp(a));
    rows
}

/// Circles end when one of their processes gives up.
fn circle_text(limited: u64, all: usize) -> String {
    match limited {
        0 => "wait for each other, for ever".to_owned(),
        limited if limited == all as u64 => {
            "wait for each other in a circle, each with a time limit".to_owned()
        }
        limited => format!("wait for each other in a circle, {limited} of {all} with a time limit"),
    }
}

fn in_c_text(in_c: &SleepingInC) -> String {
    let SleepingInC {
        pid,
        name,
        function,
        stack,
        thread_id,
        thread_name,
        seconds,
        ..
    } = in_c;
    let name = name.as_deref().unwrap_or_default();
    let frames = function.iter().chain(stack).take(SHOWN_FRAMES);
    let frames: Vec<&str> = frames.map(String::as_str).collect();
    let at = match frames.is_empty() {
        true => "code that is not known".to_owned(),
        false => frames.join(" < "),
    };
    format!(
        "{pid} {name} is in C, where thread {thread_id} {thread_name} sleeps for {seconds:.1} s at least: {at}"
    )
}

/// Those that a scheduler keeps waiting beyond their time limits, and who keeps the scheduler.
fn late_text(late: &LateTimeLimits) -> String {
    let LateTimeLimits {
        scheduler,
        processes,
        names,
        pids,
        timers,
        receivers,
        late_s,
        cause,
        holder,
        function,
        stack,
    } = late;
    let named = pids.iter().zip(names);
    let mut named: Vec<String> = named
        .map(|(pid, name)| format!("{pid} {name}").trim_end().to_owned())
        .collect();
    if *processes > named.len() as u64 {
        named.push("…".to_owned());
    }
    let frames = function.iter().chain(stack).take(SHOWN_FRAMES);
    let frames: Vec<&str> = frames.map(String::as_str).collect();
    let place = match frames.is_empty() {
        true => String::new(),
        false => format!(" in {}", frames.join(" < ")),
    };
    let why = match (cause, holder) {
        (LateCause::Process, Some(holder)) => format!("runs {}{place}", process_text(holder)),
        (LateCause::Throttled, _) => "is throttled by the quota of its control group".to_owned(),
        (LateCause::WaitsForProcessor, _) => "waits for a processor".to_owned(),
        (LateCause::Blocked, _) => "is blocked".to_owned(),
        (LateCause::Offline, _) => "is offline".to_owned(),
        (LateCause::Process | LateCause::Unknown, _) => {
            "does not come to them; why is not known".to_owned()
        }
    };
    let held = format!("by {late_s:.1} s at least, as scheduler {scheduler} {why}");
    let timers = timers.unwrap_or(0);
    let (of_messages, receivers) = late_timers_text(timers, receivers);
    if *processes == 0 {
        return format!("{of_messages}, {held}{receivers}");
    }
    let limits = format!(
        "{} past their time limit, {held}: {}",
        processes_text(*processes, "waits", "wait"),
        named.join(", ")
    );
    match timers {
        0 => limits,
        _ => format!("{limits}; {of_messages}, too{receivers}"),
    }
}

/// How many timers of messages are late, and the processes they are for: not all of both are known.
fn late_timers_text(timers: u64, receivers: &[WaitedProcess]) -> (String, String) {
    let late = match timers {
        1 => "at least 1 timer of send_after or start_timer is late".to_owned(),
        several => format!("at least {several} timers of send_after or start_timer are late"),
    };
    let mut named: Vec<String> = receivers.iter().map(process_text).collect();
    if named.is_empty() {
        return (late, String::new());
    }
    if timers > named.len() as u64 {
        named.push("…".to_owned());
    }
    (late, format!(", for {}", named.join(", ")))
}

fn print_more(all: usize, what: &str) -> Result<(), Failure> {
    match all.saturating_sub(SHOWN_ROWS) {
        0 => Ok(()),
        more => Ok(print_line(&format!("{more} {what}"))?),
    }
}

fn end_text(end: &WaitingEnd) -> String {
    let process = process_text(&end.process);
    let doing = match (end.status.as_deref(), end.stack.as_slice()) {
        _ if end.port.is_some() => return port_text(end),
        (None, _) => "is of another node".to_owned(),
        (Some("gone"), _) => "has ended".to_owned(),
        (Some("running"), _) => "runs".to_owned(),
        (Some(status), []) => format!("is {status}"),
        (Some("in C"), stack) => format!(
            "is in C, {}",
            stack
                .iter()
                .take(SHOWN_FRAMES)
                .cloned()
                .collect::<Vec<_>>()
                .join(" < ")
        ),
        (Some(status), stack) => {
            let frames: Vec<&str> = stack
                .iter()
                .take(SHOWN_FRAMES)
                .map(String::as_str)
                .collect();
            let doing = if status == "waiting" { "waits" } else { status };
            format!("{doing} in {}", frames.join(" < "))
        }
    };
    let idle = match (end.idle, end.idle_by_name) {
        (false, _) => String::new(),
        (true, is_by_name) => format!(
            ", idle{}: it keeps their requests, or another process works on them, which is not known",
            match is_by_name {
                true => " if its function is the loop that its name suggests",
                false => "",
            }
        ),
    };
    format!(
        "{} for {process}, which {doing}{idle}",
        waiting_text(end.all)
    )
}

fn waiting_text(all: u64) -> String {
    processes_text(all, "waits", "wait")
}

fn processes_text(all: u64, one: &str, more: &str) -> String {
    match all {
        1 => format!("1 process {one}"),
        all => format!("{all} processes {more}"),
    }
}

/// Who sends faster than the other side reads is suspended.
fn port_text(end: &WaitingEnd) -> String {
    let port = end.port.clone().unwrap_or_default();
    let owner = port.owner.as_ref().map(process_text);
    let bytes = port.bytes.map_or_else(
        || "an unknown number of bytes".to_owned(),
        |bytes| format!("{bytes} bytes"),
    );
    if is_connection(&end.process) {
        return format!(
            "{} for {}, which is busy: {bytes} wait to be sent",
            waiting_text(end.all),
            process_text(&end.process),
        );
    }
    format!(
        "{} for {}, a port that is busy: {bytes} wait to be written{}",
        waiting_text(end.all),
        process_text(&end.process),
        owner.map_or_else(String::new, |owner| format!(", its owner is {owner}"))
    )
}

/// Of a connection the node is all there is.
fn is_connection(process: &WaitedProcess) -> bool {
    process.node.as_ref() == Some(&process.pid)
}

fn process_text(process: &WaitedProcess) -> String {
    if is_connection(process) {
        return format!("the connection to {}", process.pid);
    }
    if process.pid.starts_with('{') {
        return process.pid.clone();
    }
    let node = process.node.as_deref().map(|node| format!(" of {node}"));
    let name = process.name.as_deref().map(|name| format!(" {name}"));
    format!(
        "{}{}{}",
        process.pid,
        name.unwrap_or_default(),
        node.unwrap_or_default()
    )
}

const EDGE_COLUMNS: [(&str, Align); 4] = [
    ("processes", Align::Right),
    ("who", Align::Left),
    ("wait for", Align::Left),
    ("in", Align::Left),
];

fn edge_cells(edge: &WaitingEdge) -> Vec<String> {
    vec![
        edge.processes.to_string(),
        edge.waiters.clone(),
        target_text(edge),
        edge.call.clone(),
    ]
}

/// A process, and the lock that it has.
fn target_text(edge: &WaitingEdge) -> String {
    let mut process = process_text(&edge.target);
    if let Some(via) = &edge.via {
        let has = match edge.has_or_had {
            true => "has or had",
            false => "has",
        };
        process.push_str(&format!(
            ", which {has} their request from {}",
            process_text(via)
        ));
    }
    let Some(lock) = &edge.lock else {
        return process;
    };
    let WaitedLock {
        table,
        key,
        is_write,
        holders,
        is_ahead,
    } = lock;
    let what = match key {
        Some(key) => format!("{{{table}, {key}}}"),
        None => format!("all of {table}"),
    };
    let wanted = if *is_write { "to write" } else { "to read" };
    let others = match holders.saturating_sub(1) {
        0 => String::new(),
        others => format!(" and {others} more"),
    };
    match is_ahead {
        true => format!("{process}, which waits before them for {what}, {wanted}"),
        false => format!("{process}{others}, with a lock on {what}, {wanted}"),
    }
}

const COLUMNS: [(&str, Align); 4] = [
    ("processes", Align::Right),
    ("waited s", Align::Right),
    ("who", Align::Left),
    ("where", Align::Left),
];

/// The first of them, with a mark where there are more.
fn names_text<N: AsRef<str>>(names: &[N]) -> String {
    let more = if names.len() > SHOWN_NAMES {
        ", …"
    } else {
        ""
    };
    let shown: Vec<&str> = names.iter().take(SHOWN_NAMES).map(AsRef::as_ref).collect();
    shown.join(", ") + more
}

fn cells(group: &WaitingGroup) -> Vec<String> {
    let frames = group.stack.iter().take(SHOWN_FRAMES);
    let frames: Vec<&str> = frames.map(String::as_str).collect();
    vec![
        group.processes.to_string(),
        format!("{:.1}", group.seconds),
        names_text(&group.names),
        frames.join(" < "),
    ]
}

#[cfg(test)]
mod tests {
    use protocol::waits::WaitedPort;

    use super::*;

    #[test]
    fn lines_beyond_the_answer_are_counted() {
        assert_eq!(beyond_text(0), None);
        assert_eq!(
            beyond_text(1).as_deref(),
            Some("1 more line of these lists, beyond those counted above")
        );
        assert_eq!(
            beyond_text(4000).as_deref(),
            Some("4000 more lines of these lists, beyond those counted above")
        );
    }

    #[test]
    fn no_process_is_blamed_for_a_scheduler_that_has_no_processor() {
        let text = |cause, holder: Option<&str>| {
            late_text(&LateTimeLimits {
                scheduler: 2,
                processes: 1,
                names: vec!["ticker".to_owned()],
                pids: vec!["<0.9.0>".to_owned()],
                timers: None,
                receivers: Vec::new(),
                late_s: 1.5,
                cause,
                holder: holder.map(|pid| WaitedProcess {
                    pid: pid.to_owned(),
                    name: None,
                    node: None,
                }),
                function: None,
                stack: Vec::new(),
            })
        };
        for (cause, why) in [
            (LateCause::Process, "runs <0.8.0>"),
            (
                LateCause::Throttled,
                "is throttled by the quota of its control group",
            ),
            (LateCause::WaitsForProcessor, "waits for a processor"),
            (LateCause::Blocked, "is blocked"),
            (LateCause::Offline, "is offline"),
            (
                LateCause::Unknown,
                "does not come to them; why is not known",
            ),
        ] {
            assert_eq!(
                text(cause, Some("<0.8.0>")),
                format!(
                    "1 process waits past their time limit, by 1.5 s at least, as scheduler 2 {why}: <0.9.0> ticker"
                )
            );
        }
        assert!(text(LateCause::Process, None).contains("why is not known"));
    }

    #[test]
    fn late_timers_of_messages_are_shown_with_their_receivers() {
        let text = |pids: &[&str], timers, receivers: &[&str]| {
            let receiver = |pid: &&str| WaitedProcess {
                pid: (*pid).to_owned(),
                name: Some("ticker".to_owned()),
                node: None,
            };
            late_text(&LateTimeLimits {
                scheduler: 2,
                processes: pids.len() as u64,
                names: vec!["shop".to_owned(); pids.len()],
                pids: pids.iter().map(ToString::to_string).collect(),
                timers: Some(timers),
                receivers: receivers.iter().map(receiver).collect(),
                late_s: 1.5,
                cause: LateCause::Blocked,
                holder: None,
                function: None,
                stack: Vec::new(),
            })
        };
        assert_eq!(
            text(&[], 2, &["<0.7.0>", "<0.8.0>"]),
            "at least 2 timers of send_after or start_timer are late, by 1.5 s at least, as scheduler 2 is blocked, for <0.7.0> ticker, <0.8.0> ticker"
        );
        assert_eq!(
            text(&[], 3, &["<0.7.0>"]),
            "at least 3 timers of send_after or start_timer are late, by 1.5 s at least, as scheduler 2 is blocked, for <0.7.0> ticker, …"
        );
        assert_eq!(
            text(&[], 1, &[]),
            "at least 1 timer of send_after or start_timer is late, by 1.5 s at least, as scheduler 2 is blocked"
        );
        assert_eq!(
            text(&["<0.9.0>"], 1, &["<0.7.0>"]),
            "1 process waits past their time limit, by 1.5 s at least, as scheduler 2 is blocked: <0.9.0> shop; at least 1 timer of send_after or start_timer is late, too, for <0.7.0> ticker"
        );
    }

    #[test]
    fn an_idle_process_has_or_had_a_request_that_was_handed_on() {
        let process = |pid: &str| WaitedProcess {
            pid: pid.to_owned(),
            name: None,
            node: None,
        };
        let text = |has_or_had| {
            target_text(&WaitingEdge {
                waiters: "shop".to_owned(),
                processes: 1,
                limited: 0,
                pids: Vec::new(),
                call: "gen:do_call/4".to_owned(),
                target: process("<0.9.0>"),
                via: Some(process("<0.8.0>")),
                has_or_had,
                lock: None,
            })
        };
        assert_eq!(text(false), "<0.9.0>, which has their request from <0.8.0>");
        assert_eq!(
            text(true),
            "<0.9.0>, which has or had their request from <0.8.0>"
        );
    }

    #[test]
    fn a_loop_by_name_alone_is_called_that() {
        let end = |idle_by_name| WaitingEnd {
            process: WaitedProcess {
                pid: "<0.9.0>".to_owned(),
                name: None,
                node: None,
            },
            direct: 1,
            all: 1,
            status: Some("waiting".to_owned()),
            stack: vec!["shop:cart_loop/2".to_owned()],
            idle: true,
            idle_by_name,
            port: None,
        };
        let known = end_text(&end(false));
        assert!(known.contains(", which waits in shop:cart_loop/2, idle: it keeps"));
        assert!(known.contains("or another process works on them, which is not known"));
        let named = end_text(&end(true));
        assert!(named.contains(", idle if its function is the loop that its name suggests: it"));
    }

    #[test]
    fn bytes_that_wait_in_a_connection_and_are_not_known_are_not_zero() {
        let node = "shop@there".to_owned();
        let end = |bytes| WaitingEnd {
            process: WaitedProcess {
                pid: node.clone(),
                name: None,
                node: Some(node.clone()),
            },
            direct: 1,
            all: 1,
            status: Some("busy".to_owned()),
            stack: Vec::new(),
            idle: false,
            idle_by_name: false,
            port: Some(WaitedPort { owner: None, bytes }),
        };
        let text = "1 process waits for the connection to shop@there, which is busy:";
        assert_eq!(
            port_text(&end(Some(7))),
            format!("{text} 7 bytes wait to be sent")
        );
        assert_eq!(
            port_text(&end(None)),
            format!("{text} an unknown number of bytes wait to be sent")
        );
    }
}
