//! `list`: every Erlang VM that can be seen, attached to for a moment each.

use std::collections::VecDeque;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use attach::{AttachError, TargetObjects, attach};
use protocol::discovery::{BeamRow, ListResult};
use protocol::message::{Text, texts};
use target_memory::LiveMemory;
use target_proc::ProcFs;
use target_proc::container::ContainerHint;
use target_proc::process::{BeamProcess, Executable};
use vm_anchors::Finder;
use vm_layout::vm_version::VmVersion;
use vm_tables::schedulers::SchedulerKind;

use crate::refusal::{Refusal, RefusalKind};

/// How long the CPU time is looked at. The VMs are attached to meanwhile.
const LOAD_LOOK: Duration = Duration::from_millis(200);
/// Clock ticks of `/proc` a second, on every architecture we run on.
const TICKS_PER_SECOND: f64 = 100.0;
/// Longest command line shown, characters.
const SHOWN_COMMAND_CHARS: usize = 1000;
/// VMs attached to at the same time.
const MAX_WORKERS: usize = 8;
/// After this a look is taken to wait for something else than a processor.
const SLOW_LOOK: Duration = Duration::from_secs(2);
/// After this it is given up. An honest VM takes a fraction of a second.
const MAX_LOOK: Duration = Duration::from_secs(20);
/// How often it is looked whether some are slow.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// Who looks at each VM that was found.
#[derive(Debug, Clone)]
pub enum Looker {
    /// A thread of this program. It cannot be given up whole: a program does not end before all
    /// its threads do, and one that waits for a file system that a target serves does not end.
    Thread,
    /// A process of its own, of the program with that path, which knows the command `look`.
    Process(PathBuf),
}

impl Looker {
    /// A process of this very program.
    #[must_use]
    pub fn own_program() -> Self {
        Self::Process("/proc/self/exe".into())
    }

    fn look(&self, beam: &BeamProcess) -> Option<BeamRow> {
        match self {
            Self::Thread => row(beam),
            Self::Process(program) => row_by_process(program, beam)
                .unwrap_or_else(|error| Some(refused(beam, look_failed(beam.pid, &error)))),
        }
    }
}

/// What the process of a [`Looker`] does and prints: the row of one VM, `None` when it is gone.
#[must_use]
pub fn look(pid: u32) -> Option<BeamRow> {
    ProcFs::live()
        .beam(pid)
        .ok()
        .flatten()
        .and_then(|beam| row(&beam))
}

/// The row that a process of its own finds out. Nobody waits for that process when it takes too long:
/// it ends when it can.
fn row_by_process(program: &Path, beam: &BeamProcess) -> io::Result<Option<BeamRow>> {
    let output = Command::new(program)
        .args(["look", &beam.pid.to_string()])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()?;
    if !output.status.success() {
        return Err(io::Error::other(format!("it ended with {}", output.status)));
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// Every Erlang VM that can be seen, by pid. A VM that is odd gets a row that says so.
///
/// # Errors
/// Only when `/proc` itself cannot be listed.
pub fn list(looker: &Looker) -> io::Result<ListResult> {
    let proc_fs = ProcFs::live();
    let begun = Instant::now();
    let found = match looker {
        Looker::Thread => proc_fs.find_beams()?,
        Looker::Process(_) => proc_fs.find_emulators()?,
    };
    let found: Vec<BeamProcess> = found
        .into_iter()
        .filter(|beam| !beam.status.is_zombie())
        .collect();
    let looks: Vec<(u32, Option<u64>, Instant)> = found
        .iter()
        .map(|beam| (beam.pid, cpu_ticks(&proc_fs, beam.pid), Instant::now()))
        .collect();
    let mut beams = rows(found, looker);
    if !looks.is_empty() {
        std::thread::sleep(LOAD_LOOK.saturating_sub(begun.elapsed()));
    }
    for (pid, before, since) in looks {
        let after = cpu_ticks(&proc_fs, pid);
        if let Some(row) = beams.iter_mut().find(|row| row.pid == pid) {
            row.cpu_pct = before
                .zip(after)
                .map(|(before, after)| load_pct(before, after, since.elapsed()));
        }
    }
    beams.sort_by_key(|row| row.pid);
    Ok(ListResult { beams })
}

fn cpu_ticks(proc_fs: &ProcFs, pid: u32) -> Option<u64> {
    proc_fs.activity(pid).map(|activity| activity.cpu_ticks)
}

fn load_pct(before_ticks: u64, after_ticks: u64, elapsed: Duration) -> f64 {
    let used_s = after_ticks.saturating_sub(before_ticks) as f64 / TICKS_PER_SECOND;
    (100.0 * used_s / elapsed.as_secs_f64().max(0.001)).round()
}

/// One row each. VMs that end meanwhile are left out. One that does not let itself be read, as when
/// it has mapped a file of a file system that does not answer, gets a row that says so.
fn rows(found: Vec<BeamProcess>, looker: &Looker) -> Vec<BeamRow> {
    let workers = std::thread::available_parallelism()
        .map_or(1, usize::from)
        .min(MAX_WORKERS);
    let looker = looker.clone();
    rows_by(found, workers, MAX_LOOK, move |beam| looker.look(beam))
}

/// A look that is under way.
struct Look {
    beam: Arc<BeamProcess>,
    begun: Instant,
}

fn rows_by(
    found: Vec<BeamProcess>,
    workers: usize,
    longest: Duration,
    look: impl Fn(&BeamProcess) -> Option<BeamRow> + Send + Sync + 'static,
) -> Vec<BeamRow> {
    let look = Arc::new(look);
    let mut queue: VecDeque<Arc<BeamProcess>> = found.into_iter().map(Arc::new).collect();
    let mut running: Vec<Look> = Vec::new();
    let mut rows = Vec::new();
    let (send, results) = channel();
    while !queue.is_empty() || !running.is_empty() {
        // One that is slow takes no processor and keeps no other waiting.
        let busy = running
            .iter()
            .filter(|look| look.begun.elapsed() < SLOW_LOOK);
        let free = workers.saturating_sub(busy.count());
        for beam in queue.drain(..free.min(queue.len())) {
            let (send, on_thread, look) = (send.clone(), Arc::clone(&beam), Arc::clone(&look));
            let spawned = std::thread::Builder::new().spawn(move || {
                // When nobody waits any more the row is not missed.
                let _ = send.send((on_thread.pid, look(&on_thread)));
            });
            match spawned {
                Ok(_) => running.push(Look {
                    beam,
                    begun: Instant::now(),
                }),
                Err(error) => {
                    rows.push(refused(&beam, look_failed(beam.pid, &error)));
                }
            }
        }
        if let Ok((pid, row)) = results.recv_timeout(LOOK_AGAIN) {
            // Of one that was given up there is a row already.
            if running.iter().any(|look| look.beam.pid == pid) {
                running.retain(|look| look.beam.pid != pid);
                rows.extend(row);
            }
        }
        running.retain(|look| {
            let is_late = look.begun.elapsed() >= longest;
            if is_late {
                let pid = look.beam.pid;
                let seconds = longest.as_secs();
                let what = texts::NO_ANSWER.with(&[("pid", &pid), ("seconds", &seconds)]);
                rows.push(refused(&look.beam, what));
            }
            !is_late
        });
    }
    rows
}

fn look_failed(pid: u32, error: &io::Error) -> Text {
    texts::LOOK_FAILED.with(&[("pid", &pid), ("detail", error)])
}

fn refused(beam: &BeamProcess, what: Text) -> BeamRow {
    let mut row = row_without_look(beam);
    let refusal = Refusal::new(RefusalKind::Other, what, Text::default());
    refuse(&mut row, &refusal);
    row
}

/// The command line, or the program where that was not read.
fn command_of(beam: &BeamProcess) -> String {
    match (&beam.executable, beam.command_line.as_slice()) {
        (Executable::Known { path, .. }, []) => path.display().to_string(),
        (_, arguments) => arguments.join(" "),
    }
}

/// What is known of a VM before its memory is looked at.
fn row_without_look(beam: &BeamProcess) -> BeamRow {
    BeamRow {
        pid: beam.pid,
        otp: None,
        erts: None,
        flavor: None,
        node: beam.node.as_ref().map(|node| node.name.clone()),
        attachable: false,
        reason: None,
        refusal: None,
        command: shortened(&command_of(beam)),
        schedulers: None,
        container: container(&beam.container),
        uid: beam.uid(),
        cpu_pct: None,
    }
}

fn row(beam: &BeamProcess) -> Option<BeamRow> {
    let mut row = row_without_look(beam);
    // One VM that trips over a mistake of ours must not hide the others.
    match catch_unwind(AssertUnwindSafe(|| attach(beam.pid))) {
        Ok(Ok(vm)) => {
            let normal = vm
                .schedulers
                .iter()
                .filter(|s| s.kind == SchedulerKind::Normal);
            row.schedulers = u32::try_from(normal.count()).ok();
            row.attachable = true;
            row.node.clone_from(&vm.node);
            set_version(&mut row, &vm.version);
        }
        Ok(Err(AttachError::NoSuchProcess { .. } | AttachError::TargetGone { .. })) => return None,
        Ok(Err(error)) => {
            refuse(&mut row, &Refusal::from(&error));
            // What was too much or did not answer once is not tried again.
            let try_memory = !matches!(
                error,
                AttachError::BudgetSpent { .. } | AttachError::Binary(_)
            );
            describe_without_attaching(beam, try_memory, &mut row);
        }
        Err(_) => {
            let what = texts::READING_WENT_WRONG.with(&[("pid", &beam.pid)]);
            refuse(
                &mut row,
                &Refusal::new(RefusalKind::Other, what, Text::default()),
            );
        }
    }
    Some(row)
}

fn refuse(row: &mut BeamRow, refusal: &Refusal) {
    row.reason = Some(refusal.to_string());
    row.refusal = Some(refusal.data());
}

fn set_version(row: &mut BeamRow, version: &VmVersion) {
    row.otp = Some(version.otp_release.clone());
    row.erts = Some(version.erts_version.clone());
    row.flavor = Some(version.flavor.name().to_owned());
}

/// Release and flavor of a VM that cannot be attached to: from its own data when its
/// memory can be read and is to be tried, from where it is installed otherwise.
fn describe_without_attaching(beam: &BeamProcess, try_memory: bool, row: &mut BeamRow) {
    let read = catch_unwind(AssertUnwindSafe(|| {
        if !try_memory {
            return None;
        }
        let memory = LiveMemory::new(beam.pid);
        let mappings = ProcFs::live().maps(beam.pid).ok()?;
        let mut objects = TargetObjects::new(beam.pid);
        objects.refresh(&memory, &mappings);
        let symbols = |name: &str| objects.emulator_symbol(name);
        let ranges = objects.emulator_ranges();
        Finder::new(&memory, &symbols, &ranges).version().ok()
    }));
    if let Ok(Some(version)) = read {
        set_version(row, &version);
    } else if let Some(erts) = beam
        .command_line
        .first()
        .and_then(|path| erts_in_path(path))
    {
        row.otp = otp_of_erts(&erts);
        row.erts = Some(erts);
    }
}

/// `13.1.5` from `/usr/lib/erlang/erts-13.1.5/bin/beam.smp`.
fn erts_in_path(path: &str) -> Option<String> {
    let version = path
        .split('/')
        .rev()
        .find_map(|part| part.strip_prefix("erts-"))?;
    let is_version = version.starts_with(|first: char| first.is_ascii_digit())
        && version.len() <= 32
        && version
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '.' || c == '-');
    is_version.then(|| version.to_owned())
}

/// Since OTP 22 (ERTS 10.4) each release raises the major version of ERTS by one.
fn otp_of_erts(erts: &str) -> Option<String> {
    let major: u32 = erts.split('.').next()?.parse().ok()?;
    (11..100).contains(&major).then(|| (major + 12).to_string())
}

/// What to call the surroundings of a process; `None` when they are ours or unknown.
fn container(hint: &ContainerHint) -> Option<String> {
    if let Some(runtime) = &hint.runtime {
        return Some(runtime.clone());
    }
    match (hint.other_pid_namespace, hint.other_mount_namespace) {
        (Some(true), _) => Some("another pid namespace".to_owned()),
        (_, Some(true)) => Some("another mount namespace".to_owned()),
        _ => None,
    }
}

fn shortened(command: &str) -> String {
    if command.chars().count() <= SHOWN_COMMAND_CHARS {
        return command.to_owned();
    }
    let start: String = command.chars().take(SHOWN_COMMAND_CHARS - 3).collect();
    format!("{start}...")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_from_installation_paths() {
        let of = |path| erts_in_path(path).and_then(|erts| otp_of_erts(&erts).zip(Some(erts)));
        let some = |otp: &str, erts: &str| Some((otp.to_owned(), erts.to_owned()));
        assert_eq!(
            of("/usr/lib/erlang/erts-13.1.5/bin/beam.smp"),
            some("25", "13.1.5")
        );
        assert_eq!(
            of("/opt/erts-9/erts-15.2.7.1/bin/beam.smp"),
            some("27", "15.2.7.1")
        );
        assert_eq!(of("beam.smp"), None);
        assert_eq!(of("/x/erts-/bin/beam.smp"), None);
        assert_eq!(of("/x/erts-1;rm/bin/beam.smp"), None);
        assert_eq!(otp_of_erts("10.4"), None);
    }

    #[test]
    fn load_is_percent_of_one_core() {
        assert!((load_pct(100, 140, Duration::from_millis(200)) - 200.0).abs() < f64::EPSILON);
        assert!(load_pct(5, 3, Duration::ZERO).abs() < f64::EPSILON);
    }

    #[test]
    fn long_commands_are_cut_at_characters() {
        assert_eq!(shortened("beam.smp -x"), "beam.smp -x");
        let long = shortened(&"ä".repeat(5000));
        assert_eq!(long.chars().count(), SHOWN_COMMAND_CHARS);
        assert!(long.ends_with("..."));
    }

    #[test]
    fn surroundings_have_a_name_only_when_they_differ() {
        let hint = |mount, pid, runtime: Option<&str>| ContainerHint {
            other_mount_namespace: mount,
            other_pid_namespace: pid,
            runtime: runtime.map(ToOwned::to_owned),
        };
        assert_eq!(container(&hint(Some(false), Some(false), None)), None);
        assert_eq!(container(&hint(None, None, None)), None);
        assert_eq!(
            container(&hint(Some(true), Some(false), None)).as_deref(),
            Some("another mount namespace")
        );
        assert_eq!(
            container(&hint(Some(true), Some(true), Some("docker 12"))).as_deref(),
            Some("docker 12")
        );
    }

    /// As of this process, under another number.
    fn beam(pid: u32) -> BeamProcess {
        BeamProcess {
            pid,
            executable: Executable::Known {
                path: "/x/beam.smp".into(),
                is_deleted: false,
            },
            command_line: vec!["beam.smp".to_owned()],
            node: None,
            container: ContainerHint::default(),
            status: ProcFs::live().status(std::process::id()).unwrap(),
            start_ticks: 1,
        }
    }

    /// Never ends for even numbers.
    fn look_for_ever_at_even(beam: &BeamProcess) -> Option<BeamRow> {
        if beam.pid.is_multiple_of(2) {
            loop {
                std::thread::park();
            }
        }
        Some(row_without_look(beam))
    }

    #[test]
    fn a_vm_that_does_not_let_itself_be_read_keeps_no_other_waiting() {
        let found = (2..10).map(beam).collect();
        let longest = Duration::from_millis(50);
        let mut rows = rows_by(found, 1, longest, look_for_ever_at_even);
        rows.sort_by_key(|row| row.pid);
        let pids: Vec<u32> = rows.iter().map(|row| row.pid).collect();
        assert_eq!(pids, [2, 3, 4, 5, 6, 7, 8, 9]);
        for row in rows.iter().filter(|row| row.pid % 2 == 0) {
            let reason = row.reason.as_deref().unwrap();
            assert!(reason.contains("did not let itself be read"), "{reason}");
        }
    }

    #[test]
    fn listing_works_whatever_runs_here() {
        let beams = list(&Looker::Thread).unwrap().beams;
        assert!(beams.windows(2).all(|pair| pair[0].pid < pair[1].pid));
        assert!(
            beams
                .iter()
                .all(|row| row.attachable == row.reason.is_none())
        );
    }
}
