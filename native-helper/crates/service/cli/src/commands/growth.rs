//! `growth`: what grows in a VM while it is watched.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use capture::counted::counted;
use growth::{FEWEST_SNAPSHOTS, Grown, Least, Tracked};
use protocol::memory::{EtsTableMemory, MemoryResult, ModuleMemory, NativeLibrary, ResidentMemory};
use protocol::node::NodeResult;
use protocol::processes::ProcessRow;
use sampling_process::{Sampler, questions};
use serde::Serialize;
use shared_map::{HashMap, HashSet};
use shared_sort::SharedSort;

use crate::arguments::inside::Growth;
use crate::attaching::attach;
use crate::circumstances::Circumstances;
use crate::commands::memory::{NOT_MANAGED, jit_code, others};
use crate::commands::print_json;
use crate::failure::Failure;
use crate::progress::ProgressLine;
use crate::stop_flag::StopFlag;
use crate::table::{Align, megabytes, render};
use crate::terminal::{print_line, print_lines};

/// What of the process is in memory.
const RESIDENT: &str = "resident memory";
/// Of that, what no allocator of the VM has: memory of NIFs, drivers and the C library, stacks of threads, files.
const OUTSIDE: &str = "outside allocators";
/// The sum of the parts, among them.
const ALL_OUTSIDE: &str = "all of it";
/// Bytes of ETS tables, and numbers of them by their owners.
const TABLES: &str = "ets";
const TABLE_COUNTS: &str = "ets tables";
const PAGE: u32 = 1000;
/// Snapshots of a watch, where they take no more than one part of [`SHARE`] of its time.
const MOST_SNAPSHOTS: u32 = 24;
/// Snapshots of a watch in which each takes long: two in each of the stretches that are compared.
const DEAR_SNAPSHOTS: u32 = 12;
const SHARE: u32 = 100;
/// Where a thing that was in no snapshot is not followed.
const LACKS_THINGS: &str =
    "at each snapshot some were inconsistent on every reading or left out, so not all are followed";
/// The most names of things that were rarely readable.
const NAMED: usize = 5;
/// How often the stop flag is checked.
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
    /// At so many of them nothing of the VM ran: a signal had stopped it, or its control group was frozen.
    halted_snapshots: usize,
    /// The measures of which nothing is unknown.
    followed: Vec<&'static str>,
    growth: Vec<PrintedGrowth>,
    /// Modules that were loaded during the watch, the newest first, at most [`NAMED`].
    newest_modules: Vec<String>,
    /// Resident memory at the first and at the last snapshot; null where the kernel does not report it.
    resident_bytes: Option<[u64; 2]>,
    /// What of that no allocator has, likewise.
    outside_bytes: Option<[u64; 2]>,
    /// Libraries with NIFs or drivers at the last snapshot, whose memory may be outside of all allocators.
    native_libraries: Vec<NativeLibrary>,
    /// The things that could not be followed, and why.
    unknown: BTreeMap<String, String>,
    circumstances: Circumstances,
}

#[derive(Debug, Serialize)]
struct PrintedGrowth {
    what: &'static str,
    name: String,
    /// Null for a thing that has a number of its own and is not followed one by one.
    things: Option<usize>,
    before: u64,
    after: u64,
    /// Its growth, over the time between the two snapshots that had these values.
    per_minute: f64,
}

/// The followed things, each by its name.
#[derive(Default)]
struct Watch {
    memory: Tracked,
    mailboxes: Tracked,
    binaries: Tracked,
    populations: Tracked,
    tables: Tracked,
    /// Names of tables that several had at a snapshot.
    same_named_tables: HashSet<String>,
    table_counts: Tracked,
    allocators: Tracked,
    ports: Tracked,
    timers: Tracked,
    atoms: Tracked,
    resident: Tracked,
    outside: Tracked,
    /// At the first snapshot and at the last one.
    resident_bytes: Option<[u64; 2]>,
    outside_bytes: Option<[Option<u64>; 2]>,
    native_libraries: Vec<NativeLibrary>,
    module_counts: Tracked,
    modules: Modules,
    /// Snapshots at which nothing of the VM ran.
    halted: usize,
    /// The things that could not be followed, and why.
    unknown: BTreeMap<String, String>,
    /// When each snapshot was taken, after the beginning.
    taken: Vec<Duration>,
}

/// Runs `growth`.
pub fn run(arguments: &Growth) -> Result<(), Failure> {
    let stop = StopFlag::install()?;
    let (mut sampler, _) = attach(arguments.pid)?;
    let circumstances = Circumstances::of(&mut sampler);
    let watched = Duration::from_secs_f64(arguments.duration);
    let began = Instant::now();
    let end = began + watched;
    let mut line = ProgressLine::new();
    let mut watch = Watch::default();
    let mut ended_by = None;
    loop {
        line.show(&format!(
            "snapshot {}, Ctrl-C to end",
            watch.taken.len() + 1
        ));
        let snapshot = Instant::now();
        match Snapshot::take(&mut sampler, &|| stop.is_raised()) {
            Ok(taken) => watch.add(taken, snapshot - began),
            // A part of its data is worthless without the rest.
            Err(_) if stop.is_raised() => break,
            // The snapshots until then are complete.
            Err(failure) if !watch.taken.is_empty() => {
                ended_by = Some(failure);
                break;
            }
            Err(failure) => return Err(failure),
        }
        let took = snapshot.elapsed();
        let next = next_snapshot(snapshot, took, watched, end);
        if !next.is_some_and(|next| wait_until(next, arguments.pid, &stop)) {
            break;
        }
    }
    line.clear();
    let took = began.elapsed();
    let printed = watch.printed(took, circumstances.or_now(&mut sampler));
    match arguments.json {
        true => print_json(&printed)?,
        false => print(&printed)?,
    }
    ended_by.map_or(Ok(()), Err)
}

/// The time from one snapshot to the next: a hundred times the duration of one, within useful
/// limits.
fn between_snapshots(watched: Duration, took: Duration) -> Duration {
    let within = |snapshots: u32| watched / (snapshots - 1);
    (took * SHARE).clamp(within(MOST_SNAPSHOTS), within(DEAR_SNAPSHOTS))
}

/// When the one after `snapshot` is taken, so that it is done by `end` when it takes as long; `None` when that one was the last.
fn next_snapshot(
    snapshot: Instant,
    took: Duration,
    watched: Duration,
    end: Instant,
) -> Option<Instant> {
    let last = end.checked_sub(took)?;
    let next = snapshot + between_snapshots(watched, took);
    (last > snapshot + LOOK_INTERVAL).then(|| next.min(last))
}

/// Waits until the time of the next snapshot, or the end of the VM, which that then reports; false when the command is
/// stopped.
pub(super) fn wait_until(next: Instant, pid: u32, stop: &StopFlag) -> bool {
    let process = format!("/proc/{pid}");
    while Instant::now() < next && Path::new(&process).exists() {
        if stop.is_raised() {
            return false;
        }
        std::thread::sleep(LOOK_INTERVAL.min(next.saturating_duration_since(Instant::now())));
    }
    !stop.is_raised()
}

/// What a VM holds at a time.
struct Snapshot {
    processes: Vec<ProcessRow>,
    /// How many others were inconsistent on every reading, as those that work may be.
    missing_processes: u64,
    memory: MemoryResult,
    node: NodeResult,
}

impl Snapshot {
    fn take(sampler: &mut Sampler, is_cancelled: &dyn Fn() -> bool) -> Result<Self, Failure> {
        let (processes, missing_processes) = processes(sampler, is_cancelled)?;
        Ok(Self {
            processes,
            missing_processes,
            memory: sampler.ask(questions::Memory {}, is_cancelled)?,
            node: sampler.ask(questions::Node { look_ms: 0 }, is_cancelled)?,
        })
    }
}

impl Watch {
    fn add(&mut self, snapshot: Snapshot, at: Duration) {
        self.taken.push(at);
        let Snapshot {
            processes,
            missing_processes,
            memory,
            node,
        } = snapshot;
        let has_all_processes = missing_processes == 0;
        self.halted += usize::from(node.standstill.is_some());
        self.add_resident(&memory);
        self.add_outside(&memory);
        self.native_libraries.clone_from(&memory.native_libraries);
        if let Some(code) = &memory.code {
            let many = code.len() as u64 + memory.code_left_out;
            self.module_counts.add([("modules", "modules", Some(many))]);
            self.modules.add(code, memory.code_left_out == 0);
        } else {
            self.module_counts.add([("modules", "modules", None)]);
        }
        self.add_processes(&processes, missing_processes);
        let has_all_tables = memory.ets_left_out == 0 && memory.rejected.tables == 0;
        if memory.ets_left_out > 0 {
            let (shown, left_out) = (memory.ets.len() as u64, memory.ets_left_out);
            let why = tables_left_out(shown, shown.saturating_add(left_out));
            self.unknown.insert(TABLES.to_owned(), why.clone());
            self.unknown.insert(TABLE_COUNTS.to_owned(), why);
        }
        self.add_tables(&memory.ets, has_all_tables);
        let allocators = memory.allocators.iter();
        // An instance that is in no sum may be of any of them.
        let has_all_instances = memory.rejected.allocators == 0;
        self.allocators.add(allocators.map(|it| {
            let bytes = has_all_instances.then_some(it.blocks_bytes);
            (&*it.name, &*it.name, bytes)
        }));
        let names: HashMap<&str, &str> = processes
            .iter()
            .map(|row| (&*row.pid, called(row)))
            .collect();
        let owner = |pid: &str| names.get(pid).map_or(pid, |name| *name).to_owned();
        let owners = memory.ets.iter().map(|table| owner(&table.owner));
        let owners: Vec<String> = owners.collect();
        // The tables of a process that is missing would be those of its pid.
        let has_all = has_all_tables && has_all_processes;
        let counts = by_name(owners.iter().map(String::as_str), has_all);
        self.table_counts.add_some(has_all, counts);
        self.add_node(node, owner, has_all_processes);
        if !memory.not_managed.is_empty() {
            let names = memory.not_managed.join(", ");
            let why = format!("{NOT_MANAGED}: {names} (switched off)");
            self.unknown.insert("allocator".to_owned(), why);
        }
    }

    /// Processes one by one, and their numbers by name.
    fn add_processes(&mut self, processes: &[ProcessRow], missing: u64) {
        let has_all = missing == 0;
        let each = |value: fn(&ProcessRow) -> Option<u64>| {
            let rows = processes.iter();
            rows.map(move |row| (&*row.pid, called(row), value(row)))
        };
        // One that works shows its memory after its last collection, which may be long ago.
        self.memory
            .add_some(has_all, each(|row| (!is_at_work(row)).then(|| in_use(row))));
        // A count of a part would grow where more of them are read.
        self.mailboxes.add_some(
            has_all,
            each(|row| (!row.mailbox_at_least).then_some(row.mailbox)),
        );
        self.binaries
            .add_some(has_all, each(|row| row.binary_bytes));
        // The least growth that is reported is more than those that are missing.
        let has_numbers = missing < THINGS.difference;
        let kinds = by_name(processes.iter().map(kind), has_numbers);
        self.populations.add_some(has_all, kinds);
    }

    /// Bytes of tables. Those of one name and owner look alike, so they are one thing.
    fn add_tables(&mut self, tables: &[EtsTableMemory], has_all: bool) {
        let mut sums: HashMap<String, (u64, u64)> = HashMap::new();
        for table in tables {
            let name = format!("{} of {}", table.name, table.owner);
            let (many, bytes) = sums.entry(name).or_default();
            *many += 1;
            *bytes = bytes.saturating_add(table.bytes);
        }
        for (name, (many, _)) in &sums {
            if *many > 1 {
                self.same_named_tables.insert(name.clone());
            }
        }
        // One of several may be missing.
        let is_known = |name: &String| has_all || !self.same_named_tables.contains(name);
        self.tables.add_some(
            has_all,
            sums.iter().map(|(name, (_, bytes))| {
                let bytes = is_known(name).then_some(*bytes);
                (&**name, &**name, bytes)
            }),
        );
    }

    /// What of the process is in memory, and the parts of that which the kernel tells apart.
    fn add_resident(&mut self, memory: &MemoryResult) {
        let (Some(rss), Some(parts)) = (memory.rss_bytes, &memory.resident) else {
            let why = "the kernel does not report it".to_owned();
            self.unknown.insert(RESIDENT.to_owned(), why);
            return;
        };
        let [first, _] = self.resident_bytes.unwrap_or([rss; 2]);
        self.resident_bytes = Some([first, rss]);
        let parts = [
            ("all (RSS)", Some(rss)),
            ("in no file", Some(parts.anonymous_bytes)),
            ("code of the JIT", parts.jit_code_bytes),
            ("on disk instead", Some(parts.swapped_bytes)),
        ];
        let known = parts.iter().filter(|(_, bytes)| bytes.is_some());
        self.resident
            .add(known.map(|(name, bytes)| (*name, *name, *bytes)));
    }

    /// What of that no allocator has.
    fn add_outside(&mut self, memory: &MemoryResult) {
        let resident = memory.rss_bytes.zip(memory.resident.as_ref());
        let parts = resident.and_then(|(rss, parts)| outside(rss, parts, jit_code(memory)));
        let sum = parts.as_ref().map(|(sum, _)| *sum);
        let [first, _] = self.outside_bytes.unwrap_or([sum; 2]);
        self.outside_bytes = Some([first, sum]);
        let Some((sum, parts)) = parts else {
            let why = "at a snapshot it was not known which memory is in carriers, which the VM keeps, or which is code"
                .to_owned();
            self.unknown.insert(OUTSIDE.to_owned(), why);
            self.outside.add([(ALL_OUTSIDE, ALL_OUTSIDE, None)]);
            return;
        };
        let known = parts.iter().filter(|(_, bytes)| bytes.is_some());
        let known = known.map(|(name, bytes)| (*name, *name, *bytes));
        self.outside.add(
            [(ALL_OUTSIDE, ALL_OUTSIDE, Some(sum))]
                .into_iter()
                .chain(known),
        );
    }

    /// The counts of the whole VM. `owner` is the name of a process, by its pid, where it is known of all of them.
    fn add_node(&mut self, node: NodeResult, owner: impl Fn(&str) -> String, has_all_owners: bool) {
        let kinds = node.port_kinds.iter().flatten();
        let kinds = kinds.map(|kind| {
            let owner = kind.owner.as_deref().map(&owner);
            let of = owner.map_or_else(String::new, |owner| format!(" of {owner}"));
            (format!("{}{of}", kind.name), kind.ports)
        });
        // Owners that are called the same are one.
        let mut ports: HashMap<String, u64> = HashMap::new();
        for (name, many) in kinds {
            *ports.entry(name).or_default() += many;
        }
        let ports = ports.iter();
        let ports = ports.map(|(name, many)| (&**name, &**name, has_all_owners.then_some(*many)));
        let all = node.ports.map(|ports| u64::from(ports.count));
        let all = all.map(|many| ("all", "all", Some(many)));
        self.ports.add_some(has_all_owners, ports.chain(all));
        let timers = node.timers.map(|many| ("timers", "timers", Some(many)));
        self.timers.add(timers);
        // By the names of the followed quantities.
        let followed = [("port_kinds", "ports"), ("timers", "timers")];
        self.unknown
            .extend(node.unknown.into_iter().filter_map(|it| {
                let (_, name) = followed.iter().find(|(what, _)| *what == it.what)?;
                Some(((*name).to_owned(), it.why))
            }));
        let atoms = u64::from(node.atoms.count);
        self.atoms.add([("atoms", "atoms", Some(atoms))]);
    }

    /// The findings.
    fn printed(mut self, watched: Duration, circumstances: Circumstances) -> Printed {
        let mut growth = Vec::new();
        let mut followed = Vec::new();
        let mut rarely_known = Vec::new();
        for (what, tracked, least) in self.measures() {
            let found = tracked.found(least);
            let grown = found.grown.into_iter().map(|it| self.grown(what, it));
            growth.push(grown.collect());
            let lacks = tracked.may_lack_things().then(|| LACKS_THINGS.to_owned());
            let why = rarely_known_why(&found.unknown).into_iter().chain(lacks);
            let why: Vec<String> = why.collect();
            match (!why.is_empty()).then(|| why.join("; ")) {
                Some(_) if self.halted == self.taken.len() => {
                    rarely_known.push((what.to_owned(), "the VM was halted".to_owned()));
                }
                _ if self.unknown.contains_key(what) => {}
                Some(why) => rarely_known.push((what.to_owned(), why)),
                None => followed.push(what),
            }
        }
        self.unknown.extend(rarely_known);
        Printed {
            seconds: watched.as_secs_f64(),
            snapshots: self.taken.len(),
            halted_snapshots: self.halted,
            followed,
            growth: most_first(growth),
            newest_modules: self.modules.newest,
            resident_bytes: self.resident_bytes,
            outside_bytes: self.outside_bytes.and_then(both),
            native_libraries: self.native_libraries,
            unknown: self.unknown,
            circumstances,
        }
    }

    /// The measures, each with the least growth that is reported.
    fn measures(&self) -> [(&'static str, &Tracked, Least); 13] {
        [
            (OUTSIDE, &self.outside, BYTES),
            ("process memory", &self.memory, BYTES),
            ("binaries", &self.binaries, BYTES),
            (TABLES, &self.tables, BYTES),
            ("allocator", &self.allocators, BYTES),
            (RESIDENT, &self.resident, BYTES),
            ("mailbox", &self.mailboxes, THINGS),
            ("processes", &self.populations, THINGS),
            (TABLE_COUNTS, &self.table_counts, THINGS),
            ("ports", &self.ports, THINGS),
            ("timers", &self.timers, THINGS),
            ("atoms", &self.atoms, THINGS),
            ("modules", &self.module_counts, THINGS),
        ]
    }

    fn grown(&self, what: &'static str, grown: Grown) -> PrintedGrowth {
        let growth::Growth {
            before,
            after,
            between,
        } = grown.growth;
        let at = |snapshot: usize| self.taken.get(snapshot).copied().unwrap_or_default();
        let took = at(between.1).saturating_sub(at(between.0));
        #[expect(clippy::cast_precision_loss, reason = "a rate, for people")]
        let per_minute = (after - before) as f64 * 60.0 / took.as_secs_f64().max(0.001);
        PrintedGrowth {
            what,
            things: (!is_count(what) && what != RESIDENT && what != OUTSIDE)
                .then_some(grown.things),
            name: grown.name,
            before,
            after,
            per_minute,
        }
    }
}

/// Parts by their names; `None` where one is not known.
type OutsideParts = [(&'static str, Option<u64>); 4];

/// What of resident memory no allocator has, and its parts as far as they are known; `None` where the sum is not.
fn outside(rss: u64, parts: &ResidentMemory, jit_code: Option<u64>) -> Option<(u64, OutsideParts)> {
    let in_no_file = parts
        .anonymous_bytes
        .saturating_add(parts.lazily_freed_bytes);
    let files = rss.saturating_sub(in_no_file).saturating_sub(jit_code?);
    let in_no_carrier = parts.unexplained_bytes?;
    let sum = in_no_carrier.saturating_sub(parts.cached_segments_bytes?);
    let others = others(parts)?;
    let parts = [
        ("mapped files", Some(files)),
        ("malloc", parts.malloc_bytes),
        ("stacks of threads", parts.thread_stacks_bytes),
        ("NIFs, drivers and others", others.1.then_some(others.0)),
    ];
    Some((files.saturating_add(sum), parts))
}

/// The names of the modules that are loaded.
#[derive(Default)]
struct Modules {
    /// Those of the first snapshot; `None` before it, and where it did not have all of them.
    known: Option<HashSet<String>>,
    has_begun: bool,
    /// Those that appeared since, the newest first, at most [`NAMED`].
    newest: Vec<String>,
}

impl Modules {
    fn add(&mut self, code: &[ModuleMemory], has_all: bool) {
        let names = code.iter().map(|module| &module.module);
        if !self.has_begun {
            self.has_begun = true;
            self.known = has_all.then(|| names.cloned().collect());
            return;
        }
        let Some(known) = &mut self.known else {
            return;
        };
        for name in names {
            if known.insert(name.clone()) {
                self.newest.insert(0, name.clone());
            }
        }
        self.newest.truncate(NAMED);
    }
}

/// Measures of bytes by the most that one of their rows grew, then numbers. Resident memory has most of the others in
/// it, so it comes behind them.
fn most_first(mut measures: Vec<Vec<PrintedGrowth>>) -> Vec<PrintedGrowth> {
    measures.shared_sort_by_key(|rows| {
        let first = rows.first().map_or("", |row| row.what);
        let most = rows.iter().map(|row| row.after - row.before).max();
        match (is_bytes(first), first == RESIDENT) {
            (true, false) => (0, Reverse(most)),
            (true, true) => (1, Reverse(None)),
            (false, _) => (2, Reverse(None)),
        }
    });
    measures.into_iter().flatten().collect()
}

/// Why not all tables are followed.
fn tables_left_out(shown: u64, all: u64) -> String {
    format!("a snapshot has only the {shown} largest of {all} tables")
}

/// Names of processes that could not be read at most snapshots; `None` when all could be. One that a scheduler has may
/// work, or wait for a processor that its scheduler does not get.
fn rarely_known_why(names: &[String]) -> Option<String> {
    let shown = names.get(..NAMED).unwrap_or(names).join(", ");
    let more = match names.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    (!names.is_empty())
        .then(|| format!("{shown}{more} could not be read at most snapshots; watch for longer"))
}

/// The first and the last, where both are known.
fn both([first, last]: [Option<u64>; 2]) -> Option<[u64; 2]> {
    Some([first?, last?])
}

/// Whether it is a number of things as such.
fn is_count(what: &str) -> bool {
    matches!(
        what,
        "processes" | "atoms" | TABLE_COUNTS | "ports" | "timers" | "modules"
    )
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

/// The common feature of processes that do the same: labels distinguish them.
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

/// The number of things with the same name, including those that come and go; unknown where some may be missing.
fn by_name<'n>(
    names: impl Iterator<Item = &'n str>,
    has_all: bool,
) -> Vec<(&'n str, &'n str, Option<u64>)> {
    let mut names: Vec<&str> = names.collect();
    names.shared_sort();
    let same = names.chunk_by(|one, other| one == other);
    same.filter_map(|same| {
        let name = same.first()?;
        Some((*name, *name, has_all.then_some(same.len() as u64)))
    })
    .collect()
}

/// The processes, and how many others were inconsistent on every reading.
fn processes(
    sampler: &mut Sampler,
    is_cancelled: &dyn Fn() -> bool,
) -> Result<(Vec<ProcessRow>, u64), Failure> {
    let mut processes = Vec::new();
    let rejected = super::ps::each_page(sampler, PAGE, is_cancelled, |page| {
        processes.extend(page);
        Ok(())
    })?;
    Ok((processes, rejected.torn))
}

fn print(found: &Printed) -> Result<(), Failure> {
    found.circumstances.print()?;
    if found.halted_snapshots > 0 {
        print_line(&format!(
            "the VM was halted at {} of {}: nothing of it can grow then",
            found.halted_snapshots,
            counted(found.snapshots as u64, "snapshot")
        ))?;
    }
    if found.halted_snapshots == found.snapshots {
        return Ok(());
    }
    for (what, why) in &found.unknown {
        print_line(&format!("{what}: not known: {why}"))?;
    }
    if found.snapshots < FEWEST_SNAPSHOTS {
        print_line(&format!(
            "{} in {:.0} s: fewer than {FEWEST_SNAPSHOTS} cannot distinguish growth from chance",
            counted(found.snapshots as u64, "snapshot"),
            found.seconds
        ))?;
        return Ok(print_lines(newest_line(&found.newest_modules))?);
    }
    if let Some(resident) = found.resident_bytes {
        print_line(&resident_text(resident, found.outside_bytes))?;
    }
    if found.growth.is_empty() {
        return Ok(print_lines(nothing_lines(found))?);
    }
    print_table(&found.growth)?;
    if found.growth.iter().any(|it| it.what == OUTSIDE) {
        print_lines(about_outside(&found.native_libraries))?;
    }
    print_lines(newest_line(&found.newest_modules))?;
    Ok(print_line(&format!(
        "in {:.0} s, {} snapshots; MB of memory, binaries, ets, allocators and outside of them, numbers of all else",
        found.seconds, found.snapshots
    ))?)
}

/// The modules that were loaded during the watch; `None` where none were.
fn newest_line(modules: &[String]) -> Option<String> {
    (!modules.is_empty()).then(|| {
        format!(
            "modules that were loaded, the newest first: {}",
            modules.join(", ")
        )
    })
}

/// Where nothing grew steadily.
fn nothing_lines(found: &Printed) -> Vec<String> {
    let mut lines = vec![format!(
        "none of these grew steadily by {} % or more in {:.0} s ({} snapshots): {}",
        THINGS.percent,
        found.seconds,
        found.snapshots,
        found.followed.join(", ")
    )];
    if found.resident_bytes.is_some_and(is_more) {
        lines.push(
            "resident memory rose nevertheless: it grew in a part of that time, or swings; watch for longer"
                .to_owned(),
        );
        lines.extend(about_outside(&found.native_libraries));
    }
    // A few modules are no steady growth, and new all the same.
    lines.extend(newest_line(&found.newest_modules));
    lines
}

fn print_table(growth: &[PrintedGrowth]) -> Result<(), Failure> {
    let row = |growth: &PrintedGrowth| {
        vec![
            growth.what.to_owned(),
            growth.name.clone(),
            growth.things.map(|it| it.to_string()).unwrap_or_default(),
            value(growth, growth.before),
            value(growth, growth.after),
            a_minute(growth),
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
        &growth.iter().map(row).collect::<Vec<_>>(),
    ))?;
    Ok(())
}

/// Resident memory at the first snapshot and at the last one, and the part of it outside of allocators.
fn resident_text([first, last]: [u64; 2], outside: Option<[u64; 2]>) -> String {
    let of = |outside: u64| format!("{} of it outside of all allocators", megabytes(outside));
    let [at_first, at_last] = match outside {
        Some(outside) => outside.map(|bytes| format!(" ({})", of(bytes))),
        None => [String::new(), String::new()],
    };
    format!(
        "resident memory: {} MB at the first snapshot{at_first}, {} MB at the last one{at_last}",
        megabytes(first),
        megabytes(last)
    )
}

/// Whether the second is more than the first by so much that growth of it would be reported.
fn is_more([first, last]: [u64; 2]) -> bool {
    let by = last.saturating_sub(first);
    by >= BYTES.difference && u128::from(by) * 100 >= u128::from(first) * u128::from(BYTES.percent)
}

/// The known facts about memory that no allocator has.
fn about_outside(libraries: &[NativeLibrary]) -> [String; 2] {
    [
        "outside allocators: malloc is the heap of the C library ([heap] and those of threads); its large pieces, and \
         what libraries map themselves, are with NIFs, drivers and others"
            .to_owned(),
        match super::memory::libraries(libraries) {
            Some(names) => {
                format!("which library has it cannot be seen; those with NIFs or drivers: {names}")
            }
            None => "no library with NIFs or drivers is loaded".to_owned(),
        },
    ]
}

/// Bytes as MB, and numbers as they are.
fn value(growth: &PrintedGrowth, value: u64) -> String {
    match is_bytes(growth.what) {
        true => megabytes(value),
        false => value.to_string(),
    }
}

fn a_minute(growth: &PrintedGrowth) -> String {
    match is_bytes(growth.what) {
        true => format!("{:.2}", growth.per_minute / 1e6),
        false => format!("{:.0}", growth.per_minute),
    }
}

fn is_bytes(what: &str) -> bool {
    !is_count(what) && what != "mailbox"
}

#[cfg(test)]
mod tests {
    use protocol::memory::{AllocatorMemory, RejectedMemory};

    use super::*;

    #[test]
    fn the_measure_that_grew_most_is_first_and_resident_memory_has_the_others_in_it() {
        let rows = |what: &'static str, grown: &[u64]| -> Vec<PrintedGrowth> {
            let row = |by: &u64| PrintedGrowth {
                what,
                name: by.to_string(),
                things: None,
                before: 1000,
                after: 1000 + by,
                per_minute: 0.0,
            };
            grown.iter().map(row).collect()
        };
        let measures = [
            rows("ets", &[40, 30]),
            rows("allocator", &[]),
            rows(RESIDENT, &[90]),
            rows("atoms", &[10_000]),
            rows(OUTSIDE, &[50, 45]),
        ];
        let all = most_first(measures.into());
        let order: Vec<(&str, &str)> = all.iter().map(|row| (row.what, &*row.name)).collect();
        let expected = [
            (OUTSIDE, "50"),
            (OUTSIDE, "45"),
            ("ets", "40"),
            ("ets", "30"),
            (RESIDENT, "90"),
            ("atoms", "10000"),
        ];
        assert_eq!(order, expected);
    }

    #[test]
    fn a_process_that_could_not_be_read_is_not_reported_as_working() {
        assert_eq!(rarely_known_why(&[]), None);
        assert_eq!(
            rarely_known_why(&["shop".to_owned()]).as_deref(),
            Some("shop could not be read at most snapshots; watch for longer")
        );
    }

    fn printed(watch: Watch) -> Printed {
        let circumstances = sampling_process::Circumstances {
            schedulers_online: None,
            processors: capture::processors::ProcessorLimits::default(),
            traced_functions: None,
            traced_processes: None,
            unknown: Vec::new(),
        };
        watch.printed(Duration::from_secs(60), circumstances.into())
    }

    /// A minute with a snapshot of each of these.
    fn watched(snapshots: impl IntoIterator<Item = Snapshot>) -> Printed {
        let mut watch = Watch::default();
        for (snapshot, at) in snapshots.into_iter().zip(0..) {
            watch.add(snapshot, Duration::from_secs(at));
        }
        printed(watch)
    }

    fn process(pid: &str, name: &str, mailbox: u64) -> ProcessRow {
        ProcessRow {
            pid: pid.to_owned(),
            name: Some(name.to_owned()),
            status: "waiting".to_owned(),
            mailbox,
            binary_bytes: Some(0),
            ..ProcessRow::default()
        }
    }

    fn snapshot(processes: Vec<ProcessRow>) -> Snapshot {
        Snapshot {
            processes,
            missing_processes: 0,
            memory: MemoryResult::default(),
            node: NodeResult::default(),
        }
    }

    #[test]
    fn a_mailbox_of_which_only_a_part_was_read_is_not_known() {
        let found = watched((0..24).map(|at| {
            let part = ProcessRow {
                mailbox_at_least: true,
                ..process("<0.9.0>", "shop", 100 * at)
            };
            snapshot(vec![part, process("<0.10.0>", "tax", 100 * at)])
        }));
        let grown: Vec<&str> = found.growth.iter().map(|row| &*row.name).collect();
        assert_eq!(grown, ["tax"]);
        assert_eq!(
            found.unknown["mailbox"],
            "shop could not be read at most snapshots; watch for longer"
        );
        assert!(!found.followed.contains(&"mailbox"));
    }

    fn table(name: &str, bytes: u64) -> EtsTableMemory {
        EtsTableMemory {
            name: name.to_owned(),
            named: false,
            owner: "<0.9.0>".to_owned(),
            table_type: "set".to_owned(),
            items: 1,
            bytes,
            protection: "private".to_owned(),
        }
    }

    #[test]
    fn what_a_snapshot_lacks_is_followed_on_and_in_no_sum_of_it() {
        let found = watched((0..24).map(|at| {
            let lacks = at % 4 == 3;
            let mut some = snapshot(vec![process("<0.9.0>", "shop", 0)]);
            some.missing_processes = if lacks { THINGS.difference } else { 0 };
            some.memory.rejected = RejectedMemory {
                allocators: u64::from(lacks),
                carriers: 0,
                tables: u64::from(lacks),
            };
            // The sum lacks an instance.
            let blocks_bytes = if lacks { 1 } else { 100_000 * at };
            some.memory.allocators = vec![AllocatorMemory {
                name: "eheap_alloc".to_owned(),
                blocks_bytes,
                ..AllocatorMemory::default()
            }];
            let taxes = if lacks { 1 } else { 20 + 20 * at };
            let tax = |_| process("<0.10.0>", "tax", 0);
            some.processes.extend((0..taxes).map(tax));
            if !lacks {
                some.processes.push(process("<0.11.0>", "cart", 100 * at));
                some.memory.ets = vec![table("carts", 100_000 * at)];
            }
            some
        }));
        let grown = found.growth.iter().map(|row| (row.what, &*row.name));
        let mut grown: Vec<(&str, &str)> = grown.collect();
        grown.sort_unstable();
        let expected = [
            ("allocator", "eheap_alloc"),
            ("ets", "carts of <0.9.0>"),
            ("mailbox", "cart"),
            ("processes", "tax"),
        ];
        assert_eq!(grown, expected);
        for what in ["allocator", "ets", "mailbox", "processes", "ets tables"] {
            assert!(
                found.followed.contains(&what),
                "{what}: {:?}",
                found.unknown
            );
        }
    }

    #[test]
    fn tables_of_one_name_and_owner_grow_together() {
        let found = watched((0..24).map(|at| {
            let mut some = snapshot(Vec::new());
            // The largest of both does not grow; at one snapshot the other one is missing.
            some.memory.ets = vec![table("cache", 9_000_000), table("cache", 100_000 * at)];
            if at == 20 {
                some.memory.ets.truncate(1);
                some.memory.rejected.tables = 1;
            }
            some
        }));
        assert_eq!(found.growth.len(), 1, "{:?}", found.growth);
        let row = &found.growth[0];
        assert_eq!((row.what, &*row.name), ("ets", "cache of <0.9.0>"));
        assert_eq!((row.before, row.after), (9_000_000, 11_100_000));
    }

    #[test]
    fn tables_beyond_the_largest_are_not_followed_and_that_is_stated() {
        // Their number is above the limit at one snapshot only.
        let found = watched((0..24).map(|at| {
            let mut some = snapshot(Vec::new());
            some.memory.ets = vec![table("large", 100_000 * at)];
            some.memory.ets_left_out = if at == 20 { 7 } else { 0 };
            some
        }));
        let why = "a snapshot has only the 1 largest of 8 tables";
        for what in ["ets", "ets tables"] {
            assert_eq!(found.unknown[what], why);
            assert!(!found.followed.contains(&what));
        }
        // A growth that was found holds.
        assert!(
            found
                .growth
                .iter()
                .any(|row| row.name == "large of <0.9.0>")
        );
    }

    #[test]
    fn measures_whose_snapshots_all_lack_things_are_not_followed() {
        let lacking = |missing| {
            let found = watched((0..24).map(|_| {
                let mut some = snapshot(vec![process("<0.9.0>", "shop", 0)]);
                some.missing_processes = missing;
                some
            }));
            assert_eq!(found.unknown["mailbox"], LACKS_THINGS);
            for what in ["process memory", "binaries", "ets tables", "ports"] {
                assert!(found.unknown.contains_key(what), "{what}");
            }
            assert!(!found.followed.contains(&"mailbox"));
            assert!(found.followed.contains(&"ets"));
            found
        };
        // Numbers that lack fewer than the least growth are compared.
        let few = lacking(THINGS.difference - 1);
        assert_eq!(few.unknown["processes"], LACKS_THINGS);
        let many = lacking(THINGS.difference);
        let why = &many.unknown["processes"];
        assert!(why.starts_with("shop could not be read") && why.ends_with(LACKS_THINGS));
    }

    #[test]
    fn modules_that_were_loaded_are_named_where_nothing_grew_steadily() {
        let mut watch = Watch::default();
        let module = |name: &str| ModuleMemory {
            module: name.to_owned(),
            bytes: 1000,
            literal_bytes: None,
        };
        watch.modules.add(&[module("shop")], true);
        watch.modules.add(&[module("shop"), module("tax")], true);
        let found = printed(watch);
        assert!(found.growth.is_empty());
        let lines = nothing_lines(&found);
        assert!(lines[0].starts_with("none of these grew steadily"));
        assert_eq!(
            lines[1..],
            ["modules that were loaded, the newest first: tax"]
        );
        assert_eq!(newest_line(&[]), None);
    }

    #[test]
    fn more_resident_memory_is_reported_where_nothing_grew_steadily() {
        assert!(is_more([35_000_000, 79_000_000]));
        assert!(!is_more([35_000_000, 35_300_000]) && !is_more([79_000_000, 35_000_000]));
        assert!(!is_more([0, 4095]) && is_more([0, 4096]));
        assert_eq!(
            resident_text([35_620_000, 79_040_000], Some([18_000_000, 61_000_000])),
            "resident memory: 35.62 MB at the first snapshot (18.00 of it outside of all allocators), 79.04 MB at the last one (61.00 of it outside of all allocators)"
        );
        assert_eq!(
            resident_text([1_000_000, 1_000_000], None),
            "resident memory: 1.00 MB at the first snapshot, 1.00 MB at the last one"
        );
    }

    #[test]
    fn a_part_that_is_not_known_makes_no_sum_larger_or_smaller() {
        let all = ResidentMemory {
            anonymous_bytes: 50,
            lazily_freed_bytes: 5,
            unexplained_bytes: Some(40),
            thread_stacks_bytes: Some(3),
            malloc_bytes: Some(20),
            cached_segments_bytes: Some(10),
            ..ResidentMemory::default()
        };
        let (sum, [files, .., others]) = outside(100, &all, Some(15)).unwrap();
        assert_eq!((sum, files.1, others.1), (60, Some(30), Some(7)));
        let unknown = ResidentMemory {
            malloc_bytes: None,
            ..all
        };
        let (sum, [.., others]) = outside(100, &unknown, Some(15)).unwrap();
        assert_eq!(
            (sum, others.1),
            (60, None),
            "malloc is in the sum, and may be others"
        );
        assert_eq!(outside(100, &all, None), None, "code is in files");
        let unknown = ResidentMemory {
            cached_segments_bytes: None,
            ..all
        };
        assert_eq!(outside(100, &unknown, Some(15)), None);

        let at = |resident| MemoryResult {
            rss_bytes: Some(100),
            resident: Some(resident),
            code: Some(Vec::new()),
            ..MemoryResult::default()
        };
        let mut watch = Watch::default();
        watch.add_outside(&at(all));
        assert_eq!(watch.outside_bytes.and_then(both), Some([75, 75]));
        watch.add_outside(&at(unknown));
        assert_eq!(
            watch.outside_bytes.and_then(both),
            None,
            "not that of an earlier snapshot"
        );
        assert!(watch.unknown.contains_key(OUTSIDE));
    }

    #[test]
    fn the_last_snapshot_is_done_when_the_time_is_over() {
        let seconds = Duration::from_secs;
        let (began, watched) = (Instant::now(), seconds(60));
        let next = |at, took| {
            let snapshot = began + seconds(at);
            let next = next_snapshot(snapshot, seconds(took), watched, began + watched)?;
            Some(next - began)
        };
        assert_eq!(next(0, 4), Some(watched / (DEAR_SNAPSHOTS - 1)));
        assert_eq!(next(54, 4), Some(seconds(56)), "sooner than the others");
        assert_eq!(next(56, 4), None);
        assert_eq!(next(0, 100), None, "one was too long already");
    }
}
