//! `record -- COMMAND`: starts a command and captures every VM that it and its children become.

mod captured;
mod signalled;
mod started;
mod tree;

use std::collections::VecDeque;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::Scope;
use std::time::{Duration, Instant};

use capture::counted::counted;
use capture::file::FileError;
use diagnose::refusal::{Refusal, RefusalKind};
use rustix::fs::{Access, access};
use sampling_process::Sampler;
use serde::Serialize;
use target_proc::ProcFs;

use crate::arguments::Record;
use crate::attaching::OWN_PROGRAM;
use crate::commands::commit::{CheckedOut, CommitLook};
use crate::commands::print_json;
use crate::commands::record::{quality_lines, refuse_standard_output};
use crate::failure::Failure;
use crate::stop_flag::PassedOn;
use crate::terminal::{self, next_step};
use captured::Captured;
use profiling_service::sampling_loop;
use started::{Ended, Started};
use tree::{LeftProgram, Tree};

/// How often the command is looked at: a VM is up after some hundred milliseconds.
const INTERVAL: Duration = Duration::from_millis(2);
/// How often what a command has left behind is looked at, where none of it is a VM yet, and the pause between two looks: two
/// seconds of a machine that is not busy. Looks are counted, not their time: this program may itself be stopped in between.
const LAST_LOOKS: u32 = 200;
const LAST_PAUSE: Duration = Duration::from_millis(10);
/// Pauses between two tries to attach to a VM, the first and the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(16);
/// How often it is looked at during such a pause.
const PAUSE_INTERVAL: Duration = Duration::from_millis(50);
/// Programs left behind that are named.
const SHOWN_PROGRAMS: usize = 3;
/// VMs that are sampled at a time, each by a process of its own of some 30 MB. More wait for the end of one.
const MOST_AT_A_TIME: u32 = 64;

/// What the threads of all VMs share.
struct Job<'a> {
    arguments: &'a Record,
    checked_out: Option<CheckedOut>,
    /// The command has ended.
    is_over: AtomicBool,
    /// VMs that have a capture so far.
    captures: AtomicU32,
    /// VMs that are sampled now.
    sampled: AtomicU32,
    outcomes: Mutex<Outcomes>,
}

/// What became of the VMs.
#[derive(Debug, Default, Serialize)]
struct Outcomes {
    vms: Vec<Captured>,
    missed: Vec<Missed>,
    /// VMs whose sampling had not begun when the command ended, as those of `erl -detached`, and that run on: process
    /// ids.
    left_behind: Vec<u32>,
}

/// A VM without a capture.
#[derive(Debug, Serialize)]
struct Missed {
    pid: u32,
    reason: String,
}

/// What `record --json -- COMMAND` prints when the command has ended.
#[derive(Debug, Serialize)]
struct Summary<'a> {
    /// The exit code that is passed on.
    exit_code: u8,
    /// Processor time of the command and of all that it started, as `wait4` reports it: without what still runs. `null` when
    /// a part of it could not be read.
    command_cpu_s: Option<f64>,
    /// Processor time that the samples of the captures stand for. `null` when the rate of samples could change,
    /// or no processor time is sampled.
    captured_cpu_s: Option<f64>,
    /// Processor time of the captured VMs before the sampling of each began: in no sample.
    before_sampling_cpu_s: f64,
    #[serde(flatten)]
    outcomes: &'a Outcomes,
    /// Programs that the command has left behind and that may still become VMs.
    may_become_vms: Vec<LeftProgram>,
    /// Not all processes of the command could be listed: others may be VMs.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    some_unseen: bool,
}

/// Runs the command, and ends this program with its exit code.
pub fn run(arguments: &Record) -> Result<(), Failure> {
    // Before the command runs for an hour, and not when its capture is written.
    refuse_standard_output(arguments)?;
    if let Some(path) = arguments.output.as_ref().filter(|path| path.exists())
        && !arguments.force
    {
        let path = path.clone();
        return Err(FileError::Exists { path }.into());
    }
    refuse_folder(arguments)?;
    let mut signals = PassedOn::install()?;
    let job = Job {
        arguments,
        checked_out: CommitLook::begin(arguments.source_dir.as_deref())?.wait(),
        is_over: AtomicBool::new(false),
        captures: AtomicU32::new(0),
        sampled: AtomicU32::new(0),
        outcomes: Mutex::default(),
    };
    let mut started = Started::start(&arguments.command, arguments.json)?;
    let mut tree = Tree::of(started.pid());
    let ended = std::thread::scope(|scope| {
        let ended = job.watch(scope, &mut started, &mut tree, &mut signals);
        job.is_over.store(true, Ordering::Relaxed);
        ended
    })?;
    let outcomes = job.outcomes.into_inner();
    let mut outcomes = outcomes.unwrap_or_else(PoisonError::into_inner);
    outcomes
        .left_behind
        .extend(left_behind(&mut started, &mut tree, &mut signals));
    started.reap(&tree.orphans());
    let proc_fs = ProcFs::live();
    for vm in &mut outcomes.vms {
        vm.still_runs =
            vm.ended != sampling_loop::Ended::TargetGone.as_str() && proc_fs.runs_emulator(vm.pid);
    }
    let summary = Summary {
        exit_code: ended.exit_code,
        command_cpu_s: started.cpu_s(ended),
        captured_cpu_s: has_known_rate(arguments).then(|| {
            sum_of_ended(&outcomes, |vm| {
                vm.sampled_cpu_s(arguments.sampling.frequency)
            })
        }),
        before_sampling_cpu_s: sum_of_ended(&outcomes, Captured::before_sampling_cpu_s),
        outcomes: &outcomes,
        may_become_vms: tree.may_become_vms(),
        some_unseen: !tree.sees_all(),
    };
    match arguments.json {
        true => print_json(&summary)?,
        false => print_summary(&summary),
    }
    std::process::exit(ended.exit_code.into());
}

/// A folder that no file can be made in: the one that is named, or the one where captures go when none is.
fn refuse_folder(arguments: &Record) -> Result<(), FileError> {
    let output = arguments.output.as_deref();
    if output.is_some_and(Path::exists) {
        return Ok(());
    }
    let named = output.and_then(Path::parent);
    let folder = named.filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    access(folder, Access::WRITE_OK | Access::EXEC_OK).map_err(|errno| FileError::Io {
        action: "create a capture in",
        path: folder.to_owned(),
        source: errno.into(),
    })
}

impl Job<'_> {
    /// Captures VMs as they appear, each on a thread of its own, until the command ends.
    fn watch<'scope, 'env: 'scope>(
        &'env self,
        scope: &'scope Scope<'scope, 'env>,
        started: &mut Started,
        tree: &mut Tree,
        signals: &mut PassedOn,
    ) -> Result<Ended, Failure> {
        let mut next_look = Instant::now();
        let mut waiting = VecDeque::new();
        loop {
            for signal in signals.take() {
                started.pass_on(signal);
            }
            if let Some(ended) = started.ended()? {
                for pid in waiting {
                    self.miss(
                        pid,
                        format!("{MOST_AT_A_TIME} VMs were sampled at the same time, the most"),
                    );
                }
                return Ok(ended);
            }
            let now = Instant::now();
            if now >= next_look {
                waiting.extend(tree.new_vms());
                started.reap(&tree.orphans());
                next_look = now + tree.pause_after(now.elapsed());
            }
            while self.sampled.load(Ordering::Relaxed) < MOST_AT_A_TIME
                && let Some(pid) = waiting.pop_front()
            {
                self.begin(scope, pid);
            }
            std::thread::sleep(INTERVAL);
        }
    }

    /// Captures `pid` on a thread of its own.
    fn begin<'scope, 'env: 'scope>(&'env self, scope: &'scope Scope<'scope, 'env>, pid: u32) {
        self.sampled.fetch_add(1, Ordering::Relaxed);
        let thread = std::thread::Builder::new().name(format!("vm {pid}"));
        let captured = move || {
            self.capture(pid);
            self.sampled.fetch_sub(1, Ordering::Relaxed);
        };
        if let Err(error) = thread.spawn_scoped(scope, captured) {
            self.sampled.fetch_sub(1, Ordering::Relaxed);
            self.miss(pid, format!("there is no thread: {error}"));
        }
    }

    fn capture(&self, pid: u32) {
        let mut pause = FIRST_PAUSE;
        let mut refused = None;
        let captured = loop {
            let attached = Sampler::attach(Path::new(OWN_PROGRAM), pid, &|| self.is_over());
            match attached {
                Err(refusal) if may_pass(&refusal) && self.goes_on_after(pause, pid) => {
                    refused = Some(refusal.to_string());
                    pause = (2 * pause).min(LONGEST_PAUSE);
                }
                Err(refusal) => break Err(refusal.into()),
                Ok((sampler, attached)) => break captured::capture(self, pid, sampler, &attached),
            }
        };
        match (captured, refused) {
            // Its file is empty: its samples are nowhere.
            (
                Ok(captured::Captured {
                    file_bytes: 0,
                    error: Some(reason),
                    ..
                }),
                _,
            ) => self.miss(pid, reason),
            (Ok(captured), _) => self.outcomes().vms.push(captured),
            // The last try met its end, or that of the command.
            (Err(_), Some(refused)) => self.miss(pid, refused),
            (Err(_), None) if !ProcFs::live().runs_emulator(pid) => {
                self.miss(pid, "it ended before it could be sampled".to_owned());
            }
            // Cancelled by the end of the command, like the reading of a VM's tables that takes a while.
            (Err(_), None) if self.is_over() => self.outcomes().left_behind.push(pid),
            (Err(failure), None) => self.miss(pid, failure.to_string()),
        }
    }

    /// Whether command and VM run on during such a pause.
    fn goes_on_after(&self, pause: Duration, pid: u32) -> bool {
        let begun = Instant::now();
        while begun.elapsed() < pause {
            if self.is_over() || !ProcFs::live().runs_emulator(pid) {
                return false;
            }
            std::thread::sleep(PAUSE_INTERVAL);
        }
        true
    }

    fn miss(&self, pid: u32, reason: String) {
        self.outcomes().missed.push(Missed { pid, reason });
    }

    fn outcomes(&self) -> std::sync::MutexGuard<'_, Outcomes> {
        self.outcomes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }
}

/// Whether a VM may be attached to later: one that is stopped while it starts, or that starts slowly on a busy machine, has
/// no tables yet. Rights do not change.
fn may_pass(refusal: &Refusal) -> bool {
    matches!(refusal.kind, RefusalKind::Other | RefusalKind::NoTarget)
}

/// VMs among the programs that the command left behind. There is no wait where none of them can become one, nor after a
/// signal: no command is there any more that it could be meant for.
fn left_behind(started: &mut Started, tree: &mut Tree, signals: &mut PassedOn) -> Vec<u32> {
    last_looks(LAST_PAUSE, || {
        started.reap(&tree.orphans());
        tree.look();
        let vms = tree.new_vms();
        let is_last = !vms.is_empty() || tree.has_no_vms_to_come() || signals.have_come();
        is_last.then_some(vms)
    })
}

/// Looks until there is an answer, and at most [`LAST_LOOKS`] times.
fn last_looks(pause: Duration, mut look: impl FnMut() -> Option<Vec<u32>>) -> Vec<u32> {
    for _ in 0..LAST_LOOKS {
        if let Some(vms) = look() {
            return vms;
        }
        std::thread::sleep(pause);
    }
    Vec::new()
}

/// A sum over the VMs that ended with the command.
fn sum_of_ended(outcomes: &Outcomes, of_one: impl Fn(&Captured) -> f64) -> f64 {
    let ended = outcomes.vms.iter().filter(|vm| !vm.still_runs);
    // A sum of nothing is -0.0.
    ended.map(of_one).fold(0.0, |all, one| all + one)
}

/// The summary for people, beside the output of the command.
fn print_summary(summary: &Summary<'_>) {
    let Outcomes {
        vms,
        missed,
        left_behind,
    } = summary.outcomes;
    for vm in vms {
        for line in quality_lines(&vm.quality) {
            terminal::warn(&format!("VM {}: {line}", vm.pid));
        }
        if let Some(error) = &vm.error {
            terminal::warn(&format!("VM {} is captured in part: {error}", vm.pid));
        }
        terminal::warn(&format!("{} ({} bytes)", vm.file.display(), vm.file_bytes));
        if vm.still_runs {
            terminal::warn(&format!(
                "VM {0} still runs: its capture ended with the command, whose processor time is \
                 without it; go on with `extrospect record {0}`",
                vm.pid
            ));
        }
    }
    for Missed { pid, reason } in missed {
        terminal::warn(&format!("VM {pid} is in no capture: {reason}"));
    }
    for pid in left_behind {
        terminal::warn(&format!(
            "the command ended before the sampling of VM {pid} began, which runs on and is in no capture: \
             extrospect record {pid}"
        ));
    }
    if summary.some_unseen {
        terminal::warn(
            "not all processes of the command could be listed: a VM among the others is in no capture",
        );
    }
    let total_s = summary.command_cpu_s;
    match (vms.as_slice(), summary.captured_cpu_s) {
        ([], _) if missed.is_empty() && left_behind.is_empty() && !summary.some_unseen => {
            terminal::warn(&without_vm(&summary.may_become_vms));
        }
        ([], _) | (_, None) => {}
        ([first, ..], Some(captured_s)) => {
            let next = next_step(&first.file.display().to_string());
            // What still runs is no time of the command, in its captures or outside of them.
            if vms.iter().all(|vm| vm.still_runs) || total_s.is_some_and(|it| it <= 0.0) {
                return terminal::warn(&next);
            }
            let in_samples = in_samples(captured_s, total_s, summary.before_sampling_cpu_s);
            terminal::warn(&format!("{in_samples}; {next}"));
        }
    }
}

/// Whether each sample stands for the same processor time.
fn has_known_rate(arguments: &Record) -> bool {
    arguments.sources().cpu && arguments.max_overhead().is_none()
}

/// Why there is no capture. `running`: programs that the command has left behind and that may still become VMs.
fn without_vm(running: &[LeftProgram]) -> String {
    if running.is_empty() {
        let none = "the command started no Erlang VM, so there is no capture; a VM that it \
                    requests from a running server (a remote shell, a daemon) is recorded by its process id";
        return none.to_owned();
    }
    let shown = running.get(..SHOWN_PROGRAMS).unwrap_or(running);
    let names: Vec<String> = shown.iter().map(ToString::to_string).collect();
    let more = match running.len() - shown.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!(
        "the command has started no Erlang VM yet, so there is no capture; it left {} running \
         ({}{more}), which may start one: `extrospect list` lists the VMs here",
        counted(running.len() as u64, "program"),
        names.join(", ")
    )
}

/// How much of the processor time of the command is in samples.
fn in_samples(captured_s: f64, total_s: Option<f64>, before_s: f64) -> String {
    let before = match before_s {
        before_s if before_s > 0.0 => {
            format!(", and {before_s:.2} s were used before sampling began")
        }
        _ => String::new(),
    };
    match total_s {
        Some(total_s) => format!(
            "{captured_s:.2} s of the command's {total_s:.2} s of processor time are in samples ({:.1} %){before}",
            100.0 * captured_s / total_s
        ),
        None => format!(
            "{captured_s:.2} s of processor time are in samples{before}; how much the command used is not known"
        ),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{LAST_LOOKS, LeftProgram, in_samples, last_looks, without_vm};

    #[test]
    fn processor_time_that_could_not_be_read_is_not_zero() {
        assert_eq!(
            in_samples(1.5, Some(2.0), 0.25),
            "1.50 s of the command's 2.00 s of processor time are in samples (75.0 %), and 0.25 s were used before sampling began"
        );
        assert_eq!(
            in_samples(1.5, None, 0.0),
            "1.50 s of processor time are in samples; how much the command used is not known"
        );
    }

    #[test]
    fn programs_that_may_still_become_vms_are_named() {
        assert!(without_vm(&[]).starts_with("the command started no Erlang VM, so"));
        let programs = [("sh", 11), ("make", 12), ("rebar3", 13), ("sleep", 14)];
        let programs = programs.map(|(program, pid)| LeftProgram {
            pid,
            program: program.to_owned(),
        });
        let one = without_vm(&programs[..1]);
        assert!(one.contains("it left 1 program running (sh 11), which may start one"));
        let four = without_vm(&programs);
        let expected = "it left 4 programs running (sh 11, make 12, rebar3 13 and 1 more), which";
        assert!(four.contains(expected), "{four}");
    }

    #[test]
    fn what_is_left_behind_is_looked_at_so_often_however_long_that_takes() {
        let mut looks = 0;
        let vms = last_looks(Duration::ZERO, || {
            looks += 1;
            (looks == LAST_LOOKS).then(|| vec![4711])
        });
        assert_eq!((looks, vms), (LAST_LOOKS, vec![4711]));
        let mut looks = 0;
        let none = last_looks(Duration::ZERO, || {
            looks += 1;
            None
        });
        assert_eq!((looks, none), (LAST_LOOKS, vec![]));
    }

    #[test]
    fn the_first_answer_ends_the_looks() {
        let mut looks = 0;
        let none = last_looks(Duration::ZERO, || {
            looks += 1;
            Some(Vec::new())
        });
        assert_eq!((looks, none), (1, vec![]));
    }
}
