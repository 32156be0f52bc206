//! `ps`: the processes of a VM.

use std::cmp::Reverse;
use std::io::Write;

use capture::counted::counted;
use capture::visible::visible_json;
use diagnose::standstill::standstill;
use protocol::processes::{ProcessRow, ProcessesPage, RejectedEntries};
use protocol::waits::SleepingInC;
use sampling_process::{Sampler, questions};
use serde::Serialize;
use shared_map::HashMap;
use shared_sort::SharedSort;

use crate::arguments::inside::{ProcessOrder, Ps};
use crate::attaching::attach;
use crate::circumstances::Circumstances;
use crate::failure::Failure;
use crate::table::{Align, percent, render};
use crate::terminal::{print_line, print_lines};

mod groups;

const PAGE: u32 = 1000;
/// Default number of rows of a table.
const SHOWN_ROWS: usize = 30;
/// Processes without a place in the order that are named.
const MOST_NAMED: usize = 5;

/// What `--json` prints of a process.
#[derive(Debug, Serialize)]
struct Printed<'r> {
    pid: &'r str,
    name: Option<&'r str>,
    label: Option<&'r str>,
    label_known: bool,
    initial_call: Option<&'r str>,
    current: Option<&'r str>,
    file: Option<&'r str>,
    line: Option<u32>,
    status: &'r str,
    priority: &'r str,
    mailbox: u64,
    mailbox_at_least: bool,
    memory: u64,
    memory_at_least: bool,
    message_bytes: u64,
    heap_words: u64,
    heap_used_words: u64,
    reductions: u64,
    minor_gcs: u32,
    binary_bytes: Option<u64>,
    parent: Option<&'r str>,
    /// Null unless the thread that runs it sleeps in C code.
    in_c: Option<PrintedInC<'r>>,
    /// Whether that could be found out.
    in_c_known: bool,
}

/// What `--json` prints of a process in C code in which its thread sleeps.
#[derive(Debug, Serialize)]
struct PrintedInC<'r> {
    function: Option<&'r str>,
    stack: &'r [String],
    thread_id: u32,
    thread_name: &'r str,
    seconds: f64,
}

/// Processes in C code, by their pids; `None` where they cannot be found out.
struct InC(Option<HashMap<String, SleepingInC>>);

impl InC {
    /// Of the VM now.
    fn of(sampler: &mut Sampler) -> Self {
        let found = sampler.ask(questions::InC {}, &|| false).ok();
        Self(found.map(|all| all.into_iter().map(|it| (it.pid.clone(), it)).collect()))
    }

    /// Where this process is, when it is one of them and still runs.
    fn get(&self, row: &ProcessRow) -> Option<&SleepingInC> {
        self.0.as_ref()?.get(&row.pid).filter(|_| is_run(row))
    }

    /// Whether it is known that this process is one of them, or is none.
    fn is_known_of(&self, row: &ProcessRow) -> bool {
        self.0.is_some() || !is_run(row)
    }
}

/// A thread runs it.
fn is_run(row: &ProcessRow) -> bool {
    ["running", "garbage_collecting", "exiting"].contains(&&*row.status)
}

impl<'r> Printed<'r> {
    fn of(row: &'r ProcessRow, in_c: &'r InC) -> Self {
        Self {
            pid: &row.pid,
            name: row.name.as_deref(),
            label: row.label.as_deref(),
            label_known: row.label_known,
            initial_call: row.initial_call.as_deref(),
            current: row.current.as_deref(),
            file: row.file.as_deref(),
            line: row.line,
            status: &row.status,
            priority: &row.priority,
            mailbox: row.mailbox,
            mailbox_at_least: row.mailbox_at_least,
            memory: row.memory,
            memory_at_least: row.memory_at_least,
            message_bytes: row.message_bytes,
            heap_words: row.heap_words,
            heap_used_words: row.heap_used_words,
            reductions: row.reductions,
            minor_gcs: row.minor_gcs,
            binary_bytes: row.binary_bytes,
            parent: row.parent.as_deref(),
            in_c: in_c.get(row).map(|it| PrintedInC {
                function: it.function.as_deref(),
                stack: &it.stack,
                thread_id: it.thread_id,
                thread_name: &it.thread_name,
                seconds: it.seconds,
            }),
            in_c_known: in_c.is_known_of(row),
        }
    }
}

/// Runs `ps`.
pub fn run(arguments: &Ps) -> Result<(), Failure> {
    let (mut sampler, _) = attach(arguments.pid)?;
    if let Some(by) = arguments.by {
        return groups::run(&mut sampler, arguments, by);
    }
    let in_c = InC::of(&mut sampler);
    if arguments.json && arguments.sort.is_none() && arguments.rows.is_none() {
        return print_as_they_come(&mut sampler, &in_c, arguments.pid);
    }
    let mut processes = Vec::new();
    let rejected = each_page(&mut sampler, PAGE, &|| false, |page| {
        processes.extend(page);
        Ok(())
    })?;
    let all = processes.len();
    let order = match arguments.sort {
        None if arguments.json => None,
        wanted => Some(wanted.unwrap_or(ProcessOrder::Memory)),
    };
    if let Some(order) = order {
        processes.shared_sort_by_key(|process| Reverse(key(order, process)));
    }
    let without_place = order.map(|order| WithoutPlace::of(order, &processes));
    let circumstances = Circumstances::of(&mut sampler);
    match arguments.rows {
        Some(0) => {}
        Some(rows) => processes.truncate(rows),
        None if arguments.json => {}
        None => processes.truncate(SHOWN_ROWS),
    }
    if arguments.json {
        let mut out = JsonList::begin()?;
        processes
            .iter()
            .try_for_each(|process| out.put(process, &in_c))?;
        return out.end(
            rejected,
            without_place.as_ref(),
            &circumstances,
            arguments.pid,
        );
    }
    circumstances.print()?;
    print_lines(render(
        &COLUMNS,
        &processes
            .iter()
            .map(|process| cells(process, &in_c))
            .collect::<Vec<_>>(),
    ))?;
    print_line(&format!("{} of {all} processes", processes.len()))?;
    print_lines(without_place.iter().flat_map(WithoutPlace::lines))?;
    Ok(print_lines(left_out_line(rejected))?)
}

/// The processes that are in no row; `None` without any.
fn left_out_line(RejectedEntries { freed, torn }: RejectedEntries) -> Option<String> {
    (freed + torn > 0).then(|| {
        format!(
            "left out: {freed} that ended during the reading, {torn} that contradicted themselves"
        )
    })
}

fn print_as_they_come(sampler: &mut Sampler, in_c: &InC, pid: u32) -> Result<(), Failure> {
    let mut out = JsonList::begin()?;
    let rejected = each_page(sampler, PAGE, &|| false, |page| {
        page.iter().try_for_each(|row| out.put(row, in_c))
    })?;
    out.end(rejected, None, &Circumstances::of(sampler), pid)
}

/// All pages, one after the other; returns the parts left out of them.
pub(super) fn each_page(
    sampler: &mut Sampler,
    limit: u32,
    is_cancelled: &dyn Fn() -> bool,
    mut take: impl FnMut(Vec<ProcessRow>) -> Result<(), Failure>,
) -> Result<RejectedEntries, Failure> {
    let mut rejected = RejectedEntries::default();
    let mut next = Some(0);
    while let Some(first) = next {
        let page = ProcessesPage { first, limit };
        let page = sampler.ask(questions::Processes { page }, is_cancelled)?;
        rejected.freed += page.rejected.freed;
        rejected.torn += page.rejected.torn;
        // A page that leads back would never end.
        next = page.next.filter(|next| *next > first);
        take(page.processes)?;
    }
    Ok(rejected)
}

/// A document that is written as its processes come: there may be a million.
struct JsonList {
    is_first: bool,
}

impl JsonList {
    fn begin() -> Result<Self, Failure> {
        write!(std::io::stdout(), "{{\"processes\":[")?;
        Ok(Self { is_first: true })
    }

    fn put(&mut self, row: &ProcessRow, in_c: &InC) -> Result<(), Failure> {
        let comma = if std::mem::take(&mut self.is_first) {
            ""
        } else {
            ","
        };
        let text = json(&Printed::of(row, in_c))?;
        Ok(write!(std::io::stdout(), "{comma}{text}")?)
    }

    fn end(
        self,
        rejected: RejectedEntries,
        without_place: Option<&WithoutPlace>,
        circumstances: &Circumstances,
        pid: u32,
    ) -> Result<(), Failure> {
        let unknown_values = json(&without_place.map(|it| it.unknown))?;
        let rejected = json(&rejected)?;
        // Why it is not known is among the circumstances.
        let standstill = json(&standstill(pid).unwrap_or_default())?;
        let circumstances = json(circumstances)?;
        let end = format!(
            "],\"unknown_values\":{unknown_values},\"rejected\":{rejected},\"standstill\":{standstill},\"circumstances\":{circumstances}}}"
        );
        Ok(writeln!(std::io::stdout(), "{end}")?)
    }
}

fn json(value: &impl Serialize) -> Result<String, Failure> {
    let text = serde_json::to_string(value).map_err(std::io::Error::other)?;
    Ok(visible_json(&text).into_owned())
}

/// What processes are put in order by; those without a known value come last.
fn key(order: ProcessOrder, process: &ProcessRow) -> Option<u64> {
    match order {
        ProcessOrder::Memory => Some(process.memory),
        ProcessOrder::Mailbox => Some(process.mailbox),
        ProcessOrder::Reductions => Some(process.reductions),
        ProcessOrder::Binaries => process.binary_bytes,
    }
}

/// Whether the value may be larger, so that the process may belong further up.
fn is_at_least(order: ProcessOrder, process: &ProcessRow) -> bool {
    match order {
        ProcessOrder::Memory => process.memory_at_least,
        ProcessOrder::Mailbox => process.mailbox_at_least,
        ProcessOrder::Reductions | ProcessOrder::Binaries => false,
    }
}

/// The processes of which it is not known where they belong in the order.
struct WithoutPlace {
    /// How many have no known value.
    unknown: u64,
    /// The first of them.
    named: Vec<String>,
    /// How many have at least their value.
    at_least: u64,
}

impl WithoutPlace {
    fn of(order: ProcessOrder, processes: &[ProcessRow]) -> Self {
        let unknown = || {
            let all = processes.iter();
            all.filter(|process| key(order, process).is_none())
        };
        let at_least = processes.iter().filter(|it| is_at_least(order, it));
        Self {
            unknown: unknown().count() as u64,
            named: unknown()
                .take(MOST_NAMED)
                .map(|process| format!("{} {}", process.pid, name(process)))
                .collect(),
            at_least: at_least.count() as u64,
        }
    }

    fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if self.unknown > 0 {
            let more = match self.unknown - self.named.len() as u64 {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            lines.push(format!(
                "last, since their values in the sorted column are not known (?): {}: {}{more}",
                counted(self.unknown, "process"),
                self.named.join(", ")
            ));
        }
        if self.at_least > 0 {
            lines.push(format!(
                "may belong further up, since there is at least so much (≥): {}",
                counted(self.at_least, "process")
            ));
        }
        lines
    }
}

const COLUMNS: [(&str, Align); 10] = [
    ("pid", Align::Left),
    ("name", Align::Left),
    ("status", Align::Left),
    ("mailbox", Align::Right),
    ("KiB", Align::Right),
    ("messages KiB", Align::Right),
    ("heap used %", Align::Right),
    ("binaries KiB", Align::Right),
    ("reductions", Align::Right),
    ("in", Align::Left),
];

/// A number that may be larger is marked.
fn at_least(number: u64, is_at_least: bool) -> String {
    match is_at_least {
        true => format!("≥{number}"),
        false => number.to_string(),
    }
}

/// The function and the thread that sleeps in it.
fn place_in_c(it: &SleepingInC) -> String {
    let known = it.function.as_ref().or(it.stack.first());
    format!(
        "{} in C: thread {} ({}) sleeps for {:.1} s",
        known.map_or("", String::as_str),
        it.thread_id,
        it.thread_name,
        it.seconds
    )
    .trim_start()
    .to_owned()
}

/// Its registered name, else its label, else the function it was started with.
fn name(process: &ProcessRow) -> String {
    let named = [&process.name, &process.label, &process.initial_call];
    let name = named.into_iter().flatten().next().cloned();
    let name = name.unwrap_or_default();
    match process.name.is_some() || process.label.is_some() || process.label_known {
        true => name,
        false => format!("{name} (label not known)").trim_start().to_owned(),
    }
}

fn cells(process: &ProcessRow, in_c: &InC) -> Vec<String> {
    #[expect(clippy::cast_precision_loss, reason = "a share of one decimal")]
    let used = process.heap_used_words as f64 * 100.0 / process.heap_words.max(1) as f64;
    let place = match (&process.current, process.line) {
        (Some(function), Some(line)) => format!("{function}:{line}"),
        (Some(function), None) => function.clone(),
        (None, _) => match in_c.get(process) {
            Some(it) => place_in_c(it),
            None if in_c.is_known_of(process) => String::new(),
            None => "(whether it sleeps in C is not known)".to_owned(),
        },
    };
    vec![
        process.pid.clone(),
        name(process),
        process.status.clone(),
        at_least(process.mailbox, process.mailbox_at_least),
        at_least(process.memory.div_ceil(1024), process.memory_at_least),
        process.message_bytes.div_ceil(1024).to_string(),
        percent(used),
        process
            .binary_bytes
            .map_or_else(|| "?".to_owned(), |bytes| bytes.div_ceil(1024).to_string()),
        process.reductions.to_string(),
        place,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(pid: &str, binary_bytes: Option<u64>) -> ProcessRow {
        ProcessRow {
            pid: pid.to_owned(),
            label_known: true,
            binary_bytes,
            ..ProcessRow::default()
        }
    }

    #[test]
    fn processes_without_a_place_in_the_order_are_last_and_counted() {
        let mut all = [
            process("<0.1.0>", None),
            process("<0.2.0>", Some(0)),
            process("<0.3.0>", Some(5)),
        ];
        all[0].name = Some("busy".to_owned());
        (all[1].memory, all[1].memory_at_least) = (7, true);
        all.shared_sort_by_key(|process| Reverse(key(ProcessOrder::Binaries, process)));
        let pids: Vec<&str> = all.iter().map(|process| &*process.pid).collect();
        assert_eq!(pids, ["<0.3.0>", "<0.2.0>", "<0.1.0>"]);
        let lines = |order| WithoutPlace::of(order, &all).lines();
        assert_eq!(
            lines(ProcessOrder::Binaries),
            [
                "last, since their values in the sorted column are not known (?): 1 process: <0.1.0> busy"
            ]
        );
        assert_eq!(
            lines(ProcessOrder::Memory),
            ["may belong further up, since there is at least so much (≥): 1 process"]
        );
        assert!(lines(ProcessOrder::Reductions).is_empty());
    }

    #[test]
    fn processes_in_c_that_cannot_be_found_out_are_not_taken_for_none() {
        let mut one = process("<0.1.0>", None);
        let place = |one: &ProcessRow, in_c: &InC| cells(one, in_c).pop().unwrap();
        let (unknown, none) = (InC(None), InC(Some(HashMap::new())));
        one.status = "waiting".to_owned();
        assert!(Printed::of(&one, &unknown).in_c_known);
        assert_eq!(place(&one, &unknown), "");
        one.status = "running".to_owned();
        assert!(!Printed::of(&one, &unknown).in_c_known);
        assert!(place(&one, &unknown).contains("not known"));
        assert!(Printed::of(&one, &none).in_c_known);
        assert_eq!(place(&one, &none), "");
    }

    #[test]
    fn a_label_that_is_not_known_is_not_left_out_silently() {
        let mut one = process("<0.1.0>", None);
        one.initial_call = Some("proc_lib:init_p/5".to_owned());
        assert_eq!(name(&one), "proc_lib:init_p/5");
        one.label_known = false;
        assert_eq!(name(&one), "proc_lib:init_p/5 (label not known)");
        one.name = Some("shop".to_owned());
        assert_eq!(name(&one), "shop");
    }
}
