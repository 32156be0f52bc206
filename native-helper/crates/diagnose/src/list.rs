//! `list`: every Erlang VM that can be seen, attached to for a moment each.

use std::collections::VecDeque;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use attach::{AttachError, TargetObjects, attach};
use protocol::discovery::{BeamRow, ListResult};
use protocol::message::{Text, texts};
use target_memory::LiveMemory;
use target_proc::ProcFs;
use target_proc::container::ContainerHint;
use target_proc::process::BeamProcess;
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

/// Every Erlang VM that can be seen, by pid. A VM that is odd gets a row that says so.
///
/// # Errors
/// Only when `/proc` itself cannot be listed.
pub fn list() -> io::Result<ListResult> {
    let proc_fs = ProcFs::live();
    let begun = Instant::now();
    let found: Vec<BeamProcess> = proc_fs
        .find_beams()?
        .into_iter()
        .filter(|beam| !beam.status.is_zombie())
        .collect();
    let looks: Vec<(u32, Option<u64>, Instant)> = found
        .iter()
        .map(|beam| (beam.pid, cpu_ticks(&proc_fs, beam.pid), Instant::now()))
        .collect();
    let mut beams = rows(found);
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

/// One row each. VMs that end meanwhile are left out.
fn rows(found: Vec<BeamProcess>) -> Vec<BeamRow> {
    let workers = std::thread::available_parallelism()
        .map_or(1, usize::from)
        .min(MAX_WORKERS);
    let queue = Mutex::new(VecDeque::from(found));
    let done = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let next = queue
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .pop_front();
                    let Some(beam) = next else { return };
                    let row = row(&beam);
                    done.lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .extend(row);
                }
            });
        }
    });
    done.into_inner().unwrap_or_else(PoisonError::into_inner)
}

fn row(beam: &BeamProcess) -> Option<BeamRow> {
    let mut row = BeamRow {
        pid: beam.pid,
        otp: None,
        erts: None,
        flavor: None,
        node: beam.node.as_ref().map(|node| node.name.clone()),
        attachable: false,
        reason: None,
        refusal: None,
        command: shortened(&beam.command_line.join(" ")),
        schedulers: None,
        container: container(&beam.container),
        uid: beam.uid(),
        cpu_pct: None,
    };
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
            describe_without_attaching(beam, &mut row);
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
/// memory can be read, from where it is installed otherwise.
fn describe_without_attaching(beam: &BeamProcess, row: &mut BeamRow) {
    let read = catch_unwind(AssertUnwindSafe(|| {
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

    #[test]
    fn listing_works_whatever_runs_here() {
        let beams = list().unwrap().beams;
        assert!(beams.windows(2).all(|pair| pair[0].pid < pair[1].pid));
        assert!(
            beams
                .iter()
                .all(|row| row.attachable == row.reason.is_none())
        );
    }
}
