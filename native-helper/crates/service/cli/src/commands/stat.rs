//! `stat`: counters of a VM and of the kernel over a time, without samples.

use std::array::from_fn;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use capture::counted::counted;
use diagnose::refusal::Refusal;
use protocol::node::NodeCounters;
use sampling_process::{CounterReading, OsCounters, PartOfVm, Sampler, questions};
use serde::Serialize;

use crate::arguments::inside::Stat;
use crate::attaching::attach;
use crate::circumstances::{Circumstances, unknown_line};
use crate::commands::growth::wait_until;
use crate::commands::node::{kind_and_number, scheduler_label};
use crate::commands::print_json;
use crate::failure::{Exit, Failure};
use crate::progress::ProgressLine;
use crate::stop_flag::StopFlag;
use crate::table::{Align, render};
use crate::terminal::{print_line, print_lines};

/// Counters, by their names in JSON and in words; the last eight are of threads, which the kernel forgets when they end, and
/// of these the last five are counted from when a thread is first seen.
const COUNTERS: [(&str, &str); 17] = [
    ("collections", "collections"),
    ("reclaimed_words", "words reclaimed"),
    ("reductions", "reductions"),
    ("context_switches", "context switches"),
    ("io_in_bytes", "bytes in"),
    ("io_out_bytes", "bytes out"),
    ("cpu_ms", "CPU time, ms"),
    ("minor_faults", "page faults, minor"),
    ("major_faults", "page faults, major"),
    ("voluntary_switches", "thread switches, voluntary"),
    ("involuntary_switches", "thread switches, involuntary"),
    ("processor_wait_ms", "waits for a processor, ms"),
    ("migrations", "migrations"),
    ("cycles", "cycles"),
    ("instructions", "instructions"),
    ("cache_misses", "cache misses"),
    ("branch_misses", "branch misses"),
];
const FIRST_OF_THREADS: usize = 9;
const FIRST_OF_EVENTS: usize = 12;
const FIRST_OF_HARDWARE: usize = 13;
/// The member of JSON, also where it is not known.
const SCHEDULERS: &str = "schedulers";
/// Threads that are not known to be schedulers, in JSON.
const OTHER_THREADS: &str = "other_threads";
/// Figures that go up and down, likewise.
const LEVELS: [(&str, &str); 4] = [
    ("run_queue", "run queue"),
    ("processes", "processes"),
    ("memory_bytes", "memory, bytes"),
    ("rss_bytes", "resident, bytes"),
];
/// Columns of the table of schedulers: counters by their names in JSON, with their headings.
const OF_SCHEDULERS: [(&str, &str); 9] = [
    ("collections", "collections"),
    ("reclaimed_words", "words reclaimed"),
    ("reductions", "reductions"),
    ("context_switches", "context switches"),
    ("cpu_ms", "CPU, ms"),
    ("processor_wait_ms", "waits, ms"),
    ("voluntary_switches", "voluntary"),
    ("involuntary_switches", "involuntary"),
    ("migrations", "migrations"),
];
/// A reading takes at most one part of so many of the time until the next one.
const SHARE: u32 = 100;
/// The shortest time between two readings, unless an interval ends.
const SHORTEST_PAUSE: Duration = Duration::from_millis(100);

/// What `--json` prints, also of each interval.
#[derive(Debug, Serialize)]
struct Printed {
    /// The number of the interval; absent in the result of the whole time.
    #[serde(skip_serializing_if = "Option::is_none")]
    interval: Option<u64>,
    /// When it began, seconds after the first reading.
    from_s: f64,
    seconds: f64,
    readings: u64,
    /// At so many of them nothing of the VM ran.
    halted_readings: u64,
    counters: BTreeMap<&'static str, Option<Counted>>,
    levels: BTreeMap<&'static str, Option<Level>>,
    /// With `--per-scheduler`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    schedulers: Vec<Part>,
    /// Null if no hardware counter is known.
    hardware: Option<Hardware>,
    /// Threads that were there at one reading and not at the next.
    ended_threads: u64,
    /// Threads that were not there at the first reading.
    began_threads: u64,
    /// The null values of both, and why.
    unknown: BTreeMap<&'static str, String>,
    /// Of the whole time.
    #[serde(skip_serializing_if = "Option::is_none")]
    circumstances: Option<Circumstances>,
}

/// How hardware counters counted.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
struct Hardware {
    instructions_per_cycle: Option<f64>,
    /// The share of the time of the threads in which they counted: the figures are made up for the rest.
    counted_pct: f64,
    /// The time in the kernel is not in them.
    user_only: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
struct Counted {
    total: u64,
    per_second: f64,
    /// The standard deviation of the rates of runs or intervals; null with fewer than two.
    spread: Option<f64>,
    at_least: bool,
}

/// The counts of a scheduler, of a run queue that several have, or of the other threads: those that it has.
#[derive(Debug, Serialize)]
struct Part {
    kind: &'static str,
    /// Null of a queue and of other threads.
    number: Option<u32>,
    counters: BTreeMap<&'static str, Counted>,
    run_queue: Option<Level>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
struct Level {
    mean: f64,
    most: u64,
    last: u64,
}

/// Runs `stat`.
pub fn run(arguments: &Stat) -> Result<(), Failure> {
    if arguments.runs > 1 && arguments.duration < SHORTEST_PAUSE.as_secs_f64() {
        let what = "a run of -r takes at least 0.1 seconds";
        let fix = "give each run a time: -d 5";
        return Err(Failure::new(Exit::Usage, what, "", fix));
    }
    let stop = StopFlag::install()?;
    let (mut sampler, _) = attach(arguments.pid)?;
    sampler.hurry_when(stop.shared());
    let circumstances = Circumstances::of(&mut sampler);
    if arguments.interval.is_some() && !arguments.json {
        circumstances.print()?;
    }
    let (counting, gone) = count(&mut sampler, arguments, &stop)?;
    let printed = Printed {
        circumstances: Some(circumstances.or_now(&mut sampler)),
        ..counting.all.printed(&counting.spreads)
    };
    print(&printed, arguments.json)?;
    gone.map_or(Ok(()), |refusal| Err(refusal.into()))
}

/// Counts until the end, with the reason of an early one: the counts until then are known.
fn count(
    sampler: &mut Sampler,
    arguments: &Stat,
    stop: &StopFlag,
) -> Result<(Counting, Option<Refusal>), Failure> {
    let mut line = ProgressLine::new();
    let per_scheduler = arguments.per_scheduler;
    let mut read = || sampler.ask(questions::Counters { per_scheduler }, &|| false);
    let first = read()?;
    let began = Instant::now();
    let mut counting = Counting::begin(first, Plan::of(arguments), began);
    let mut next = began + SHORTEST_PAUSE;
    loop {
        if arguments.interval.is_none() {
            let number = counting.all.readings + 1;
            line.show(&format!("reading {number}, Ctrl-C to end"));
        }
        let until = counting.at_latest().fold(next, Instant::min);
        let is_stopped = !wait_until(until, arguments.pid, stop);
        let asked = Instant::now();
        let reading = match read() {
            Ok(reading) => reading,
            Err(refusal) if counting.all.readings > 1 => return Ok((counting, Some(refusal))),
            Err(refusal) => return Err(refusal.into()),
        };
        next = asked + (asked.elapsed() * SHARE).max(SHORTEST_PAUSE);
        let is_end = is_stopped || counting.is_over(asked);
        let interval = counting.add(reading, asked, is_end);
        if let Some(interval) = interval.filter(|_| arguments.interval.is_some()) {
            print(&interval, arguments.json)?;
        }
        if is_end {
            return Ok((counting, None));
        }
    }
}

/// How long is counted.
struct Plan {
    /// A run or an interval.
    step: Option<Duration>,
    /// So many runs; `None` without any.
    runs: Option<u64>,
    /// All intervals; `None` until Ctrl-C, and of runs.
    all: Option<Duration>,
}

impl Plan {
    fn of(arguments: &Stat) -> Self {
        let has_end = arguments.duration > 0.0;
        let duration = has_end.then(|| Duration::from_secs_f64(arguments.duration));
        let run = duration.filter(|_| arguments.runs > 1);
        Self {
            step: arguments.interval.map(Duration::from_millis).or(run),
            runs: run.map(|_| arguments.runs.into()),
            all: duration.filter(|_| run.is_none()),
        }
    }
}

/// The counts so far.
struct Counting {
    all: Window,
    /// The current run or interval.
    window: Window,
    /// Of those that are over.
    spreads: [Spread; COUNTERS.len()],
    intervals: u64,
    step: Option<Duration>,
    runs: Option<u64>,
    /// When the current one ends.
    boundary: Option<Instant>,
    end: Option<Instant>,
}

impl Counting {
    fn begin(first: CounterReading, plan: Plan, now: Instant) -> Self {
        Self {
            all: Window::of(first.clone()),
            window: Window::of(first),
            spreads: [Spread::default(); COUNTERS.len()],
            intervals: 0,
            step: plan.step,
            runs: plan.runs,
            boundary: plan.step.map(|step| now + step),
            end: plan.all.map(|all| now + all),
        }
    }

    /// When there has to be a reading.
    fn at_latest(&self) -> impl Iterator<Item = Instant> {
        [self.boundary, self.end].into_iter().flatten()
    }

    /// Whether a reading at that time is the last one. Each run has its whole time, also after one that took longer.
    fn is_over(&self, now: Instant) -> bool {
        let is_reached = |at: Option<Instant>| at.is_some_and(|at| now >= at);
        match self.runs {
            Some(runs) => self.intervals + 1 >= runs && is_reached(self.boundary),
            None => is_reached(self.end),
        }
    }

    /// Adds a reading; the run or interval that ends with it, if one does.
    fn add(&mut self, reading: CounterReading, now: Instant, is_end: bool) -> Option<Printed> {
        self.all.add(&reading);
        self.window.add(&reading);
        let step = self.step?;
        let is_whole = self.boundary.is_some_and(|boundary| now >= boundary);
        if !is_whole && !is_end {
            return None;
        }
        let window = std::mem::replace(&mut self.window, Window::of(reading));
        if is_whole {
            let rates = window.counted().map(|total| Some(window.rate(total?)));
            for (spread, rate) in self.spreads.iter_mut().zip(rates) {
                spread.add(rate);
            }
        }
        self.boundary = match self.runs {
            Some(_) => Some(now + step),
            None => self.boundary.map(|mut boundary| {
                while boundary <= now {
                    boundary += step;
                }
                boundary
            }),
        };
        self.intervals += 1;
        Some(Printed {
            interval: Some(self.intervals),
            ..window.printed(&[Spread::default(); COUNTERS.len()])
        })
    }
}

/// The readings of a time.
struct Window {
    first: CounterReading,
    last: CounterReading,
    readings: u64,
    halted: u64,
    levels: [LevelSum; LEVELS.len()],
    /// The run queue of each part.
    queues: Vec<LevelSum>,
}

impl Window {
    fn of(first: CounterReading) -> Self {
        let mut window = Self {
            last: first.clone(),
            readings: 0,
            halted: 0,
            levels: [LevelSum::default(); LEVELS.len()],
            queues: vec![LevelSum::default(); first.parts.len()],
            first: first.clone(),
        };
        window.add(&first);
        window
    }

    fn add(&mut self, reading: &CounterReading) {
        self.readings += 1;
        self.halted += u64::from(reading.is_halted);
        for (sum, level) in self.levels.iter_mut().zip(levels_of(reading)) {
            sum.add(level);
        }
        for (sum, part) in self.queues.iter_mut().zip(&reading.parts) {
            sum.add(part.run_queue);
        }
        self.last.clone_from(reading);
    }

    fn seconds(&self) -> f64 {
        self.last.at_us.saturating_sub(self.first.at_us) as f64 / 1e6
    }

    /// What each counter has counted.
    fn counted(&self) -> [Option<u64>; COUNTERS.len()] {
        let (first, last) = (&self.first, &self.last);
        changes((&first.vm, &first.os), (&last.vm, &last.os))
    }

    /// What each part has counted. The parts of all readings are the same.
    fn parts(&self, missed: &Missed) -> Vec<Part> {
        let parts = self.first.parts.iter().zip(&self.last.parts);
        let parts = parts.zip(&self.queues);
        let counted = parts.map(|((first, last), queue)| {
            let (kind, number) = match last.of {
                PartOfVm::Scheduler(scheduler) => {
                    let (kind, number) = kind_and_number(scheduler);
                    (kind, Some(number))
                }
                PartOfVm::DirtyCpuQueue => ("dirty_cpu_queue", None),
                PartOfVm::DirtyIoQueue => ("dirty_io_queue", None),
                PartOfVm::OtherThreads => (OTHER_THREADS, None),
            };
            let totals = changes((&first.vm, &first.os), (&last.vm, &last.os));
            let mut counters = BTreeMap::new();
            for (index, (name, _)) in COUNTERS.iter().enumerate() {
                let Some(total) = totals[index] else { continue };
                let counted = Counted {
                    total,
                    per_second: self.rate(total),
                    spread: None,
                    at_least: kind == OTHER_THREADS && missed.is_in(index),
                };
                counters.insert(*name, counted);
            }
            Part {
                kind,
                number,
                counters,
                run_queue: queue.level(),
            }
        });
        counted.collect()
    }

    fn rate(&self, total: u64) -> f64 {
        // No two readings are of the same microsecond.
        total as f64 / self.seconds().max(1e-6)
    }

    fn printed(&self, spreads: &[Spread; COUNTERS.len()]) -> Printed {
        let totals = self.counted();
        let missed = self.missed();
        let mut unknown = BTreeMap::new();
        let mut counters = BTreeMap::new();
        for (index, (name, _)) in COUNTERS.iter().enumerate() {
            let counted = totals[index].map(|total| Counted {
                total,
                per_second: self.rate(total),
                spread: spreads[index].deviation(),
                at_least: missed.is_in(index),
            });
            if counted.is_none() {
                unknown.insert(*name, self.why(name));
            }
            counters.insert(*name, counted);
        }
        let mut levels = BTreeMap::new();
        for ((name, _), sum) in LEVELS.iter().zip(&self.levels) {
            let level = sum.level();
            if level.is_none() {
                unknown.insert(*name, self.why(name));
            }
            levels.insert(*name, level);
        }
        let schedulers = self.last.unknown.iter().find(|it| it.what == SCHEDULERS);
        if let Some(missing) = schedulers {
            unknown.insert(SCHEDULERS, missing.why.clone());
        }
        Printed {
            interval: None,
            from_s: self.first.at_us as f64 / 1e6,
            seconds: self.seconds(),
            readings: self.readings,
            halted_readings: self.halted,
            counters,
            levels,
            schedulers: self.parts(&missed),
            hardware: self.hardware(&totals),
            ended_threads: missed.ended,
            began_threads: missed.began,
            unknown,
            circumstances: None,
        }
    }

    fn missed(&self) -> Missed {
        let (first, last) = (&self.first.os, &self.last.os);
        Missed {
            ended: last.ended_threads.saturating_sub(first.ended_threads),
            began: last.began_threads.saturating_sub(first.began_threads),
        }
    }

    fn hardware(&self, totals: &[Option<u64>; COUNTERS.len()]) -> Option<Hardware> {
        let [cycles, instructions, ..] = totals[FIRST_OF_HARDWARE..] else {
            return None;
        };
        totals[FIRST_OF_HARDWARE..].iter().flatten().next()?;
        let (first, last) = (&self.first.os, &self.last.os);
        let time = |of: usize| last.hardware_ns[of].saturating_sub(first.hardware_ns[of]) as f64;
        let cycles = cycles.filter(|cycles| *cycles > 0);
        let per_cycle = instructions.zip(cycles);
        Some(Hardware {
            instructions_per_cycle: per_cycle.map(|(all, cycles)| all as f64 / cycles as f64),
            counted_pct: match time(0) > 0.0 {
                true => 100.0 * time(1) / time(0),
                false => 100.0,
            },
            user_only: last.is_user_only,
        })
    }

    /// Why something is not known.
    fn why(&self, name: &str) -> String {
        let mut all = self.last.unknown.iter().chain(&self.first.unknown);
        let found = all.find(|it| it.what == name).map(|it| it.why.clone());
        found.unwrap_or_else(|| "the counter was lower at the end than at the beginning".to_owned())
    }
}

/// Threads of which some moments are in no figure.
struct Missed {
    ended: u64,
    began: u64,
}

impl Missed {
    /// Whether some may be missing in this one of [`COUNTERS`].
    fn is_in(&self, index: usize) -> bool {
        (self.ended > 0 && index >= FIRST_OF_THREADS)
            || (self.began > 0 && index >= FIRST_OF_EVENTS)
    }
}

/// A count that is not known at both ends, or has become less, is no figure.
fn change(before: Option<u64>, after: Option<u64>) -> Option<u64> {
    after?.checked_sub(before?)
}

fn changes(before: Counters<'_>, after: Counters<'_>) -> [Option<u64>; COUNTERS.len()] {
    let (before, after) = (counts_of(before), counts_of(after));
    from_fn(|index| change(before[index], after[index]))
}

/// Of the VM, and of the kernel for it.
type Counters<'a> = (&'a NodeCounters, &'a OsCounters);

/// In the order of [`COUNTERS`].
fn counts_of((vm, os): Counters<'_>) -> [Option<u64>; COUNTERS.len()] {
    [
        vm.collections,
        vm.reclaimed_words,
        vm.reductions,
        vm.context_switches,
        vm.io_in_bytes,
        vm.io_out_bytes,
        os.cpu_ms,
        os.minor_faults,
        os.major_faults,
        os.voluntary_switches,
        os.involuntary_switches,
        os.processor_wait_ms,
        os.migrations,
        os.cycles,
        os.instructions,
        os.cache_misses,
        os.branch_misses,
    ]
}

/// In the order of [`LEVELS`].
fn levels_of(reading: &CounterReading) -> [Option<u64>; LEVELS.len()] {
    [
        reading.run_queue,
        Some(reading.processes),
        reading.memory_bytes,
        reading.rss_bytes,
    ]
}

/// The values of a level, of the readings that have one.
#[derive(Debug, Clone, Copy, Default)]
struct LevelSum {
    known: u64,
    sum: f64,
    most: u64,
    last: u64,
}

impl LevelSum {
    fn add(&mut self, level: Option<u64>) {
        let Some(level) = level else { return };
        self.known += 1;
        self.sum += level as f64;
        self.most = self.most.max(level);
        self.last = level;
    }

    fn level(&self) -> Option<Level> {
        (self.known > 0).then(|| Level {
            mean: self.sum / self.known as f64,
            most: self.most,
            last: self.last,
        })
    }
}

/// How far rates are from their mean (Welford's method).
#[derive(Debug, Clone, Copy, Default)]
struct Spread {
    known: f64,
    mean: f64,
    squares: f64,
}

impl Spread {
    fn add(&mut self, rate: Option<f64>) {
        let Some(rate) = rate else { return };
        self.known += 1.0;
        let distance = rate - self.mean;
        self.mean += distance / self.known;
        self.squares += distance * (rate - self.mean);
    }

    fn deviation(&self) -> Option<f64> {
        (self.known > 1.0).then(|| (self.squares / (self.known - 1.0)).sqrt())
    }
}

fn print(printed: &Printed, is_json: bool) -> Result<(), Failure> {
    if is_json {
        return print_json(printed);
    }
    if let Some(circumstances) = &printed.circumstances {
        circumstances.print()?;
    }
    print_lines(lines(printed))?;
    // Between an interval and what follows it.
    if printed.interval.is_some() {
        print_line("")?;
    }
    Ok(())
}

fn lines(printed: &Printed) -> Vec<String> {
    let heading = match printed.interval {
        Some(number) => format!("interval {number}"),
        None => String::new(),
    };
    let counters = COUNTERS.iter().map(|(name, label)| {
        let counted = printed.counters.get(name).copied().flatten();
        counter_row(label, counted)
    });
    let mut columns = vec![
        (heading.as_str(), Align::Left),
        ("counted", Align::Right),
        ("a second", Align::Right),
    ];
    let mut known = printed.counters.values().flatten();
    if known.any(|counted| counted.spread.is_some()) {
        columns.push(("standard deviation", Align::Right));
    }
    let mut lines = render(&columns, &counters.collect::<Vec<_>>());
    let levels = LEVELS.iter().map(|(name, label)| {
        let level = printed.levels.get(name).copied().flatten();
        level_row(label, level)
    });
    lines.push(String::new());
    lines.extend(render(
        &[
            ("", Align::Left),
            ("mean", Align::Right),
            ("most", Align::Right),
            ("last", Align::Right),
        ],
        &levels.collect::<Vec<_>>(),
    ));
    let schedulers = printed.schedulers.iter().filter(|part| part.is_shown());
    let schedulers: Vec<_> = schedulers.map(part_row).collect();
    if !schedulers.is_empty() {
        let mut columns = vec![("scheduler", Align::Left)];
        let headings = OF_SCHEDULERS.iter().map(|(_, heading)| *heading);
        columns.extend(headings.chain(["run queue"]).map(|it| (it, Align::Right)));
        lines.push(String::new());
        lines.extend(render(&columns, &schedulers));
    }
    lines.extend(notes(printed));
    lines
}

impl Part {
    /// Normal schedulers, and others in which something was counted: of dirty ones there are many.
    fn is_shown(&self) -> bool {
        let mut counted = self.counters.values();
        let has_waiting = self.run_queue.is_some_and(|queue| queue.most > 0);
        self.kind == "normal" || has_waiting || counted.any(|counted| counted.total > 0)
    }
}

/// Counters that a part lacks are empty.
fn part_row(part: &Part) -> Vec<String> {
    let label = match (part.kind, part.number) {
        (kind, Some(number)) => scheduler_label(kind, number),
        ("dirty_cpu_queue", None) => "all dirty CPU".to_owned(),
        ("dirty_io_queue", None) => "all dirty I/O".to_owned(),
        (_, None) => "other threads".to_owned(),
    };
    let mut row = vec![label];
    row.extend(OF_SCHEDULERS.iter().map(|(name, _)| {
        let counted = part.counters.get(name);
        counted.map_or_else(String::new, |it| format!("{}{}", it.least(), it.total))
    }));
    let queue = part.run_queue;
    row.push(queue.map_or_else(String::new, |queue| format!("{:.1}", queue.mean)));
    row
}

/// What there is to know of the figures.
fn notes(printed: &Printed) -> Vec<String> {
    let Printed {
        from_s,
        seconds,
        readings,
        halted_readings,
        ended_threads,
        began_threads,
        ..
    } = printed;
    let from = match printed.interval {
        Some(_) => format!(", from {from_s:.2} s on"),
        None => String::new(),
    };
    let readings = counted(*readings, "reading");
    let mut lines = vec![format!("{readings} in {seconds:.2} s{from}")];
    if *halted_readings > 0 {
        lines.push(format!(
            "the VM was halted at {halted_readings} of {readings}: it counts nothing then"
        ));
    }
    if *ended_threads > 0 {
        let threads = counted(*ended_threads, "thread");
        lines.push(format!(
            "{threads} ended: thread switches, waits and migrations of their last moments are missing"
        ));
    }
    if *began_threads > 0 {
        let threads = counted(*began_threads, "thread");
        lines.push(format!(
            "{threads} began: migrations and hardware counts of their first moments are missing"
        ));
    }
    lines.extend(printed.hardware.iter().flat_map(hardware_lines));
    lines.extend(unknown_lines(&printed.unknown));
    lines
}

/// Hardware counters that are not known for one reason are in one line.
fn unknown_lines(unknown: &BTreeMap<&'static str, String>) -> impl Iterator<Item = String> {
    let is_hardware = |what: &str| {
        let mut hardware = COUNTERS[FIRST_OF_HARDWARE..].iter();
        hardware.any(|(name, _)| *name == what)
    };
    let mut all: Vec<(String, &str, bool)> = Vec::new();
    for (what, why) in unknown {
        let of_hardware = is_hardware(what);
        let same = |it: &&mut (String, &str, bool)| of_hardware && it.2 && it.1 == why;
        match all.iter_mut().find(same) {
            Some((names, ..)) => *names = format!("{names}, {what}"),
            None => all.push(((*what).to_owned(), why, of_hardware)),
        }
    }
    all.into_iter()
        .map(|(what, why, _)| unknown_line(&what, why))
}

fn hardware_lines(hardware: &Hardware) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(per_cycle) = hardware.instructions_per_cycle {
        lines.push(format!("{per_cycle:.2} instructions per cycle"));
    }
    // Less is a rounding.
    if hardware.counted_pct < 99.95 {
        lines.push(format!(
            "hardware counters counted for {:.1} % of the time, and are made up for the rest",
            hardware.counted_pct
        ));
    }
    if hardware.user_only {
        lines.push("hardware counters leave out the time in the kernel".to_owned());
    }
    lines
}

fn counter_row(label: &str, counted: Option<Counted>) -> Vec<String> {
    let Some(counted) = counted else {
        return vec![label.to_owned(), "not known".to_owned()];
    };
    let least = counted.least();
    let spread = counted.spread.map(|spread| format!("± {spread:.1}"));
    vec![
        label.to_owned(),
        format!("{least}{}", counted.total),
        format!("{least}{:.1}", counted.per_second),
        spread.unwrap_or_default(),
    ]
}

impl Counted {
    /// The words before its figures.
    fn least(&self) -> &'static str {
        if self.at_least { "at least " } else { "" }
    }
}

fn level_row(label: &str, level: Option<Level>) -> Vec<String> {
    let Some(Level { mean, most, last }) = level else {
        return vec![label.to_owned(), "not known".to_owned()];
    };
    vec![
        label.to_owned(),
        format!("{mean:.1}"),
        most.to_string(),
        last.to_string(),
    ]
}

#[cfg(test)]
mod tests;
