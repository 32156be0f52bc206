//! The row of one VM.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use attach::{AttachError, TargetObjects, attach};
use container_facts::{HostDisk, container_facts, label};
use permitted_target::PermittedTarget;
use protocol::discovery::{BeamRow, ContainerFacts, PortProgramsUse};
use protocol::message::{Text, texts};
use target_proc::caller;
use target_proc::container::ContainerHint;
use target_proc::process::{BeamProcess, Executable};
use target_proc::{ProcFs, ProcRights, WaitLimit};
use vm_anchors::Finder;
use vm_layout::vm_version::VmVersion;
use vm_tables::schedulers::SchedulerKind;

use crate::refusal::{Refusal, RefusalKind};
use crate::standstill::standstill;

/// How long the files of the container's runtime are waited for; homes may be on other machines.
const STATE_PATIENCE: Duration = Duration::from_secs(3);
/// The kernel's unit of processor time for programs.
const TICK_MS: u64 = 10;
/// Longest command line shown, characters.
const SHOWN_COMMAND_CHARS: usize = 1000;

/// The reason why a VM has no row of its own.
pub fn look_failed(pid: u32, error: &io::Error) -> Text {
    texts::LOOK_FAILED.with(&[("pid", &pid), ("detail", error)])
}

/// The row of a VM that could not be inspected.
pub fn refused(beam: &BeamProcess, what: Text) -> BeamRow {
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

/// The facts known of a VM before its memory is read.
pub fn row_without_look(beam: &BeamProcess) -> BeamRow {
    let facts = facts(&beam.container, None);
    let (standstill, standstill_unknown) = match standstill(beam.pid) {
        Ok(standstill) => (standstill, None),
        Err(why) => (None, Some(why)),
    };
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
        schedulers_online: None,
        container: container(&beam.container, facts.as_ref()),
        container_facts: facts,
        pid_inside: pid_inside(beam),
        working_directory: working_directory(beam.pid),
        uid: beam.uid(),
        user: user_name(beam.uid()),
        cpu_pct: None,
        port_programs: port_programs(beam.pid),
        standstill,
        standstill_unknown,
    }
}

/// By the rights that the thread has now. Whole, however long: VMs differ in the end of the path, and the kernel shows
/// none of more than a page.
fn working_directory(pid: u32) -> Option<String> {
    let path = ProcFs::live().working_directory(pid)?;
    Some(path.to_string_lossy().into_owned())
}

/// The same of a VM that only root's policy lets the caller read.
fn permitted_working_directory(pid: u32) -> Option<String> {
    let target = PermittedTarget::open(pid).ok()?;
    let path = target.within(|| working_directory(pid))?;
    // By its number, which could be another process's by now.
    target.check().is_ok().then_some(path)
}

fn user_name(uid: u32) -> Option<String> {
    let name = caller::name_of_user(uid)?;
    (!name.is_empty()).then(|| name.to_string_lossy().into_owned())
}

/// By `/proc` alone: who may not read a VM sees them, too.
fn port_programs(pid: u32) -> Option<PortProgramsUse> {
    let used = ProcFs::live().use_of_port_programs(pid)?;
    Some(PortProgramsUse {
        processes: used.processes,
        cpu_ms: used.cpu_ticks.saturating_mul(TICK_MS),
        rss_bytes: used.rss_bytes,
    })
}

/// The process id in the innermost pid namespace, where that is not ours.
fn pid_inside(beam: &BeamProcess) -> Option<u32> {
    match beam.status.namespace_pids.as_slice() {
        [_, .., inside] => Some(*inside),
        _ => None,
    }
}

/// The facts of the container beyond its control group: from the process that monitors it, and from the files of its
/// runtime. Both may never answer, so that is not for [`row_without_look`], whose callers cannot be given up.
fn name_container(row: &mut BeamRow, beam: &BeamProcess) {
    let mut hint = beam.container.clone();
    if hint.containers.is_none() && hint.other_pid_namespace != Some(true) {
        return;
    }
    let pid = beam.pid;
    let named = WaitLimit::of(STATE_PATIENCE).wait(move || {
        if hint.containers.is_none() {
            hint.containers = ProcFs::live().containers_by_monitor(pid);
        }
        let facts = facts(&hint, Some(&HostDisk::live()));
        (container(&hint, facts.as_ref()), facts)
    });
    if let Ok((container, facts)) = named {
        (row.container, row.container_facts) = (container, facts);
    }
}

fn facts(hint: &ContainerHint, disk: Option<&HostDisk>) -> Option<ContainerFacts> {
    container_facts(hint.containers.as_ref()?, disk)
}

/// The row of a VM that is attached to for a moment; `None` when it is gone.
pub fn row(beam: &BeamProcess) -> Option<BeamRow> {
    let mut row = row_without_look(beam);
    name_container(&mut row, beam);
    if row.working_directory.is_none() {
        row.working_directory = permitted_working_directory(beam.pid);
    }
    // One VM that triggers a bug of the helper must not hide the others.
    let read = || {
        attach(beam.pid).map(|mut vm| {
            let now = vm.schedulers_now().ok().and_then(Result::ok);
            (vm, now)
        })
    };
    match catch_unwind(AssertUnwindSafe(read)) {
        Ok(Ok((vm, now))) => {
            let normal = vm
                .schedulers
                .iter()
                .filter(|s| s.kind == SchedulerKind::Normal);
            row.schedulers = u32::try_from(normal.count()).ok();
            row.schedulers_online =
                now.map(|it| it.scheduling.online.of_kind(SchedulerKind::Normal));
            row.attachable = true;
            row.node.clone_from(&vm.node);
            set_version(&mut row, &vm.version);
        }
        Ok(Err(AttachError::NoSuchProcess { .. } | AttachError::TargetGone { .. })) => return None,
        Ok(Err(error)) => {
            refuse(&mut row, &Refusal::from(&error));
            // A read that was too much or got no answer is not tried again.
            let try_memory = !matches!(
                error,
                AttachError::BudgetSpent { .. }
                    | AttachError::Binary(_)
                    | AttachError::NoAnswer { .. }
                    | AttachError::NotYours(_)
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
        let target = PermittedTarget::open(beam.pid).ok()?;
        let memory = target.memory().ok()?;
        let mappings = target.within(|| ProcFs::live().maps(beam.pid)).ok()?;
        let mut objects = TargetObjects::of_target(&target);
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
fn container(hint: &ContainerHint, facts: Option<&ContainerFacts>) -> Option<String> {
    if let Some(facts) = facts {
        return Some(label(facts));
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
    use target_proc::container::parse_cgroup;

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
    fn a_row_has_its_working_directory_and_its_user_only_where_they_are_known() {
        let own = working_directory(std::process::id()).unwrap();
        assert_eq!(std::env::current_dir().unwrap().to_string_lossy(), own);
        assert_eq!(working_directory(u32::MAX), None);
        assert_eq!(permitted_working_directory(u32::MAX), None);
        assert_eq!(user_name(0).as_deref(), Some("root"));
        assert_eq!(user_name(u32::MAX - 1), None);
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
        let hint = |mount, pid, group: &str| ContainerHint {
            other_mount_namespace: mount,
            other_pid_namespace: pid,
            containers: parse_cgroup(group.as_bytes()),
        };
        let called = |hint: ContainerHint| container(&hint, facts(&hint, None).as_ref());
        assert_eq!(called(hint(Some(false), Some(false), "")), None);
        assert_eq!(called(hint(None, None, "0::/")), None);
        assert_eq!(
            called(hint(Some(true), Some(false), "0::/")).as_deref(),
            Some("another mount namespace")
        );
        let group = format!("0::/docker/{}", "0123456789abcdef".repeat(4));
        assert_eq!(
            called(hint(Some(true), Some(true), &group)).as_deref(),
            Some("docker 0123456789ab")
        );
    }
}
