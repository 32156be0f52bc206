//! `growth`: what grows in a VM while it is watched.

use std::time::{Duration, Instant};

use growth::{FEWEST_SNAPSHOTS, Grown, Least, Tracked};
use protocol::processes::ProcessRow;
use sampling_process::Sampler;
use serde::Serialize;

use crate::arguments::inside::Growth;
use crate::attaching::attach;
use crate::commands::print_json;
use crate::failure::Failure;
use crate::progress::ProgressLine;
use crate::stop_flag::StopFlag;
use crate::table::{Align, render};
use crate::terminal::{print_line, print_lines};

const PAGE: u32 = 1000;
/// Snapshots of a watch, where they take no more than one part of [`SHARE`] of its time.
const MOST_SNAPSHOTS: u32 = 24;
/// Snapshots of a watch in which each takes long: two in each of the stretches that are compared.
const DEAR_SNAPSHOTS: u32 = 12;
const SHARE: u32 = 100;
/// How often it is looked whether somebody wants it to end.
const LOOK_INTERVAL: Duration = Duration::from_millis(50);

/// Bytes that are worth a word: a page, and one part of a hundred.
const BYTES: Least = Least {
    difference: 4096,
    percent: 1,
};
/// Things that are.
const THINGS: Least = Least {
    difference: 10,
    percent: 1,
};

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct Printed {
    seconds: f64,
    snapshots: usize,
    growth: Vec<PrintedGrowth>,
}

#[derive(Debug, Serialize)]
struct PrintedGrowth {
    what: &'static str,
    name: String,
    things: usize,
    before: u64,
    after: u64,
}

/// What is followed, each by what it is called.
#[derive(Default)]
struct Watch {
    memory: Tracked,
    mailboxes: Tracked,
    binaries: Tracked,
    populations: Tracked,
    tables: Tracked,
    allocators: Tracked,
    atoms: Tracked,
    snapshots: usize,
}

/// Runs `growth`.
pub fn run(arguments: &Growth) -> Result<(), Failure> {
    let stop = StopFlag::install()?;
    let (mut sampler, _) = attach(arguments.pid)?;
    let watched = Duration::from_secs_f64(arguments.duration);
    let began = Instant::now();
    let end = began + watched;
    let mut line = ProgressLine::new();
    let mut watch = Watch::default();
    loop {
        line.show(&format!("snapshot {}, Ctrl-C to end", watch.snapshots + 1));
        let snapshot = Instant::now();
        watch.add(&mut sampler)?;
        let next = snapshot + between_snapshots(watched, snapshot.elapsed());
        if snapshot >= end || !wait_until(next.min(end), &stop) {
            break;
        }
    }
    line.clear();
    let printed = Printed {
        seconds: began.elapsed().as_secs_f64(),
        snapshots: watch.snapshots,
        growth: watch.grown(),
    };
    match arguments.json {
        true => print_json(&printed),
        false => print(&printed),
    }
}

/// From one snapshot to the next: a hundred times what one takes, within what tells something.
fn between_snapshots(watched: Duration, took: Duration) -> Duration {
    let within = |snapshots: u32| watched / (snapshots - 1);
    (took * SHARE).clamp(within(MOST_SNAPSHOTS), within(DEAR_SNAPSHOTS))
}

/// Waits until the time of the next snapshot; false when nobody wants it any more.
fn wait_until(next: Instant, stop: &StopFlag) -> bool {
    while Instant::now() < next {
        if stop.is_raised() {
            return false;
        }
        std::thread::sleep(LOOK_INTERVAL.min(next.saturating_duration_since(Instant::now())));
    }
    !stop.is_raised()
}

impl Watch {
    fn add(&mut self, sampler: &mut Sampler) -> Result<(), Failure> {
        let processes = processes(sampler)?;
        let each = |value: fn(&ProcessRow) -> Option<u64>| {
            let rows = processes.iter();
            rows.map(move |row| (&*row.pid, called(row), value(row)))
        };
        // One that works shows what it had after its last collection, which may be long ago.
        self.memory
            .add(each(|row| (!is_at_work(row)).then(|| in_use(row))));
        self.mailboxes.add(each(|row| Some(row.mailbox)));
        self.binaries.add(each(|row| row.binary_bytes));
        self.populations.add(counted(&processes));
        let memory = sampler.memory(&|| false)?;
        let names: Vec<String> = memory
            .ets
            .iter()
            .map(|table| format!("{} of {}", table.name, table.owner))
            .collect();
        let tables = names.iter().zip(&memory.ets);
        self.tables
            .add(tables.map(|(name, table)| (&**name, &**name, Some(table.bytes))));
        let allocators = memory.allocators.iter();
        self.allocators
            .add(allocators.map(|it| (&*it.name, &*it.name, Some(it.blocks_bytes))));
        let atoms = sampler.node(0, &|| false)?.atoms.count;
        self.atoms.add([("atoms", "atoms", Some(u64::from(atoms)))]);
        self.snapshots += 1;
        Ok(())
    }

    fn grown(&self) -> Vec<PrintedGrowth> {
        let measures = [
            ("process memory", &self.memory, BYTES),
            ("mailbox", &self.mailboxes, THINGS),
            ("binaries", &self.binaries, BYTES),
            ("processes", &self.populations, THINGS),
            ("ets", &self.tables, BYTES),
            ("allocator", &self.allocators, BYTES),
            ("atoms", &self.atoms, THINGS),
        ];
        let of = |(what, tracked, least): (&'static str, &Tracked, Least)| {
            let grown = tracked.grown(least).into_iter();
            grown
                .map(move |grown| printed(what, grown))
                .collect::<Vec<_>>()
        };
        measures.into_iter().flat_map(of).collect()
    }
}

fn printed(what: &'static str, grown: Grown) -> PrintedGrowth {
    PrintedGrowth {
        what,
        name: grown.name,
        things: grown.things,
        before: grown.growth.before,
        after: grown.growth.after,
    }
}

/// What processes of one kind are called.
fn called(row: &ProcessRow) -> &str {
    let names = [&row.name, &row.label, &row.initial_call];
    names
        .into_iter()
        .flatten()
        .next()
        .map_or("?", String::as_str)
}

/// What processes that do the same have in common: labels tell them apart.
fn kind(row: &ProcessRow) -> &str {
    let names = [&row.name, &row.initial_call];
    names
        .into_iter()
        .flatten()
        .next()
        .map_or("?", String::as_str)
}

/// Whether its sizes are those of before it began to work.
fn is_at_work(row: &ProcessRow) -> bool {
    ["running", "garbage_collecting"].contains(&&*row.status)
}

/// Bytes of a process without what its heap has in reserve, which comes in steps.
fn in_use(row: &ProcessRow) -> u64 {
    let reserve = row.heap_words.saturating_sub(row.heap_used_words);
    row.memory.saturating_sub(reserve.saturating_mul(8))
}

/// How many there are of what is called the same, those that come and go among them.
fn counted(processes: &[ProcessRow]) -> Vec<(&str, &str, Option<u64>)> {
    let mut names: Vec<&str> = processes.iter().map(kind).collect();
    names.sort_unstable();
    let same = names.chunk_by(|one, other| one == other);
    same.filter_map(|same| {
        let name = same.first()?;
        Some((*name, *name, Some(same.len() as u64)))
    })
    .collect()
}

fn processes(sampler: &mut Sampler) -> Result<Vec<ProcessRow>, Failure> {
    let mut processes = Vec::new();
    super::ps::each_page(sampler, PAGE, |page| {
        processes.extend(page);
        Ok(())
    })?;
    Ok(processes)
}

fn print(found: &Printed) -> Result<(), Failure> {
    if found.snapshots < FEWEST_SNAPSHOTS {
        return Ok(print_line(&format!(
            "{} snapshots in {:.0} s: fewer than {FEWEST_SNAPSHOTS} tell growth from swinging no more than chance does",
            found.snapshots, found.seconds
        ))?);
    }
    if found.growth.is_empty() {
        return Ok(print_line(&format!(
            "nothing grew in {:.0} s ({} snapshots)",
            found.seconds, found.snapshots
        ))?);
    }
    let row = |growth: &PrintedGrowth| {
        vec![
            growth.what.to_owned(),
            growth.name.clone(),
            growth.things.to_string(),
            growth.before.to_string(),
            growth.after.to_string(),
            a_minute(growth, found.seconds),
        ]
    };
    print_lines(render(
        &[
            ("what", Align::Left),
            ("name", Align::Left),
            ("of them", Align::Right),
            ("least at first", Align::Right),
            ("least at last", Align::Right),
            ("a minute", Align::Right),
        ],
        &found.growth.iter().map(row).collect::<Vec<_>>(),
    ))?;
    Ok(print_line(&format!(
        "in {:.0} s, {} snapshots; bytes but for mailbox, processes and atoms",
        found.seconds, found.snapshots
    ))?)
}

/// From the middle of the first stretch of time to that of the last, three quarters of it have gone by.
fn a_minute(growth: &PrintedGrowth, seconds: f64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "a rate, for people")]
    let rate = (growth.after - growth.before) as f64 * 60.0 / (seconds * 0.75).max(0.001);
    format!("{rate:.0}")
}
