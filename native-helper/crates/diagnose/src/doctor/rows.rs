//! What the facts about the machine mean for sampling.

use perf_ring::{EventKind, KernelFrames};
use protocol::discovery::DoctorRow;
use protocol::discovery::DoctorStatus::{self, Fail, Ok as Good, Warn};
use target_proc::status::Seccomp;

use super::machine::MachineFacts;
use super::row;
use crate::refusal::setcap;

/// Checks that are about limits rather than about rights.
pub const CHECKS_OF_LIMITS: &[&str] = &["locked memory", "open files"];
/// Checks of the machine that say nothing when a VM can be read and sampled all the same.
pub const CHECKS_OF_SAMPLING: &[&str] = &["perf_event_paranoid", "Yama ptrace_scope", "seccomp"];

const CAP_IPC_LOCK: u32 = 14;
const CAP_SYS_PTRACE: u32 = 19;
const CAP_SYS_ADMIN: u32 = 21;
const CAP_PERFMON: u32 = 38;
/// Descriptors we need besides the events: rings, files, pipes.
const OTHER_DESCRIPTORS: u64 = 64;

/// One row for each check of the machine, in the order to mend them.
pub fn machine_rows(facts: &MachineFacts) -> Vec<DoctorRow> {
    vec![
        sampling(facts),
        paranoid(facts),
        perfmon(facts),
        ptrace(facts),
        yama(facts),
        seccomp(facts),
        locked_memory(facts),
        open_files(facts),
        event_source(facts),
        super::bpf_row::exact_stacks(facts),
        realtime(facts),
        kernel_symbols(facts),
    ]
}

fn has(facts: &MachineFacts, capability: u32) -> bool {
    facts.capabilities >> capability & 1 == 1
}

fn may_perf(facts: &MachineFacts) -> bool {
    has(facts, CAP_PERFMON) || has(facts, CAP_SYS_ADMIN)
}

fn sampling(facts: &MachineFacts) -> DoctorRow {
    let needed = "events can be opened (tried on this process)";
    match &facts.events {
        Ok(settings) if settings.kernel == KernelFrames::Excluded => row(
            "sampling",
            Warn,
            format!(
                "{}, user code only: time in the kernel is not seen",
                settings.kind.name()
            ),
            needed,
            Some(setcap()),
        ),
        Ok(settings) => row(
            "sampling",
            Good,
            format!("{} with the kernel's part", settings.kind.name()),
            needed,
            None,
        ),
        Err(error) => row(
            "sampling",
            Fail,
            error.to_string(),
            needed,
            Some(events_fix(facts)),
        ),
    }
}

fn events_fix(facts: &MachineFacts) -> &'static str {
    if facts.seccomp == Seccomp::Filter && may_perf(facts) {
        "docker run --cap-add=PERFMON --cap-add=SYS_PTRACE --security-opt seccomp=unconfined ... (or run outside the container)"
    } else if facts.paranoid.is_none() {
        "boot a kernel with CONFIG_PERF_EVENTS"
    } else {
        setcap()
    }
}

fn paranoid(facts: &MachineFacts) -> DoctorRow {
    let needed = "2 or less for VMs of your own, 1 or less to see kernel time, or CAP_PERFMON";
    let fix = Some("sudo sysctl kernel.perf_event_paranoid=1");
    let name = "perf_event_paranoid";
    let Some(level) = facts.paranoid else {
        return row(
            name,
            Fail,
            "absent: no perf events in this kernel",
            needed,
            Some("boot a kernel with CONFIG_PERF_EVENTS"),
        );
    };
    if may_perf(facts) {
        return row(
            name,
            Good,
            format!("{level}, not asked of us (CAP_PERFMON)"),
            needed,
            None,
        );
    }
    let status = match level {
        ..=1 => Good,
        2 => Warn,
        _ => Fail,
    };
    row(name, status, level.to_string(), needed, fix)
}

fn perfmon(facts: &MachineFacts) -> DoctorRow {
    let found = match (has(facts, CAP_PERFMON), has(facts, CAP_SYS_ADMIN)) {
        (true, _) => "CAP_PERFMON",
        (false, true) => "CAP_SYS_ADMIN, which includes it",
        (false, false) => "neither CAP_PERFMON nor CAP_SYS_ADMIN",
    };
    let status = if may_perf(facts) { Good } else { Warn };
    row(
        "capability to sample",
        status,
        found,
        "CAP_PERFMON to sample VMs of other users and kernel time",
        Some(setcap()),
    )
}

fn ptrace(facts: &MachineFacts) -> DoctorRow {
    let there = has(facts, CAP_SYS_PTRACE);
    let found = if there {
        "CAP_SYS_PTRACE"
    } else {
        "no CAP_SYS_PTRACE: only VMs of your own can be read"
    };
    let status = if there { Good } else { Warn };
    row(
        "capability to read",
        status,
        found,
        "CAP_SYS_PTRACE to read VMs of other users (nothing is traced)",
        Some(setcap()),
    )
}

fn yama(facts: &MachineFacts) -> DoctorRow {
    let needed = "0 or no Yama, or CAP_SYS_PTRACE (1 or 2)";
    let privileged = has(facts, CAP_SYS_PTRACE);
    let (status, found) = match facts.yama_scope {
        None => (Good, "no Yama in this kernel".to_owned()),
        Some(0) => (Good, "0".to_owned()),
        Some(scope @ 1..=2) if privileged => {
            (Good, format!("{scope}, not asked of us (CAP_SYS_PTRACE)"))
        }
        Some(3) => (
            Fail,
            "3: no process may be read until the next boot".to_owned(),
        ),
        Some(scope) => (Fail, format!("{scope}: VMs may not be read")),
    };
    let fix = match facts.yama_scope {
        Some(3) => {
            "sudo sed -i '/ptrace_scope/d' /etc/sysctl.conf /etc/sysctl.d/*.conf && sudo reboot"
        }
        _ => "sudo sysctl kernel.yama.ptrace_scope=0",
    };
    row("Yama ptrace_scope", status, found, needed, Some(fix))
}

fn seccomp(facts: &MachineFacts) -> DoctorRow {
    let needed = "no filter, or one that lets perf_event_open and process_vm_readv through";
    let (status, found) = match (facts.seccomp, facts.events.is_ok()) {
        (Seccomp::Disabled, _) => (Good, "no filter"),
        (Seccomp::Unknown, true) => (Good, "not told by the kernel; sampling works"),
        (_, true) => (Good, "a filter that lets perf_event_open through"),
        (Seccomp::Filter | Seccomp::Strict, false) if may_perf(facts) => {
            (Fail, "a filter, which refuses perf_event_open")
        }
        (_, false) => (Warn, "a filter, which may be what refuses perf_event_open"),
    };
    row(
        "seccomp",
        status,
        found,
        needed,
        Some(
            "docker run --cap-add=PERFMON --cap-add=SYS_PTRACE --security-opt seccomp=unconfined ...",
        ),
    )
}

fn locked_memory(facts: &MachineFacts) -> DoctorRow {
    let limit = match facts.locked_memory {
        Some(limit) => limit.soft.map_or("unlimited".to_owned(), |bytes| {
            format!("{} KiB", bytes >> 10)
        }),
        None => "?".to_owned(),
    };
    let per_cpu = facts
        .perf_mlock_kb
        .map_or_else(|| "?".to_owned(), |kb| kb.to_string());
    let free = if has(facts, CAP_IPC_LOCK) {
        ", not asked of us (CAP_IPC_LOCK)"
    } else {
        ""
    };
    let found = format!("perf_event_mlock_kb {per_cpu}, locked memory {limit}{free}");
    let needed = "a ring of 516 KiB for each CPU (tried)";
    match &facts.ring {
        Ok(()) => row("locked memory", Good, found, needed, None),
        // A refused event is told above; only refused memory is mended here.
        Err(perf_ring::RingError::Open(error)) => row(
            "locked memory",
            Warn,
            format!("{found}; not tried: {error}"),
            needed,
            Some(setcap()),
        ),
        Err(error) => row(
            "locked memory",
            Fail,
            format!("{found}; {error}"),
            needed,
            Some("sudo sysctl kernel.perf_event_mlock_kb=1024"),
        ),
    }
}

fn open_files(facts: &MachineFacts) -> DoctorRow {
    let wanted = u64::from(facts.threads) * u64::from(facts.cpus) + OTHER_DESCRIPTORS;
    let needed = format!(
        "{wanted}: {} threads x {} CPUs and {OTHER_DESCRIPTORS} more",
        facts.threads, facts.cpus
    );
    let fix = format!("sudo prlimit --pid $$ --nofile={wanted}:{wanted}");
    let (status, found) = match facts.open_files {
        None => (Warn, "the limit is not told".to_owned()),
        // The soft limit is raised to the hard one when sampling starts.
        Some(limit) => match limit.hard {
            None => (Good, "unlimited".to_owned()),
            Some(hard) if hard >= wanted => (Good, hard.to_string()),
            Some(hard) => (Fail, hard.to_string()),
        },
    };
    row("open files", status, found, &needed, Some(&fix))
}

fn event_source(facts: &MachineFacts) -> DoctorRow {
    let needed = "hardware cycles (a PMU); the clock does, with less precision in the kernel";
    let (status, found): (DoctorStatus, _) = match &facts.events {
        Ok(settings) if settings.kind == EventKind::Cycles => (Good, "hardware cycles"),
        Ok(_) => (
            Good,
            "no PMU (a virtual machine?): the CPU clock is sampled instead",
        ),
        Err(_) => (Warn, "cannot be told: no event can be opened"),
    };
    row("event", status, found, needed, Some(setcap()))
}

fn realtime(facts: &MachineFacts) -> DoctorRow {
    let (status, found) = if facts.realtime {
        (Good, "allowed")
    } else {
        (
            Warn,
            "not allowed: stacks behind C code are read later, and fewer of them are proven",
        )
    };
    row(
        "real-time priority",
        status,
        found,
        "allowed (CAP_SYS_NICE), for the threads that read stacks",
        Some(setcap()),
    )
}

fn kernel_symbols(facts: &MachineFacts) -> DoctorRow {
    let restrict = facts
        .kptr_restrict
        .map_or_else(|| "?".to_owned(), |level| level.to_string());
    let (status, found) = if facts.kernel_symbols {
        (Good, format!("readable (kptr_restrict {restrict})"))
    } else {
        (
            Warn,
            format!("hidden (kptr_restrict {restrict}): kernel frames have no names"),
        )
    };
    // With kptr_restrict 0 the kernel still hides them from whom it does not let profile it.
    let fix = match facts.kptr_restrict {
        Some(0) => "sudo sysctl kernel.perf_event_paranoid=1",
        _ => "sudo sysctl kernel.kptr_restrict=0 kernel.perf_event_paranoid=1",
    };
    row(
        "kernel symbols",
        status,
        found,
        "readable, for --include-kernel only",
        Some(fix),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::limits::Limit;
    use crate::doctor::machine::BpfRefusal;
    use crate::doctor::machine::wanted_event;
    use perf_ring::OpenError;

    fn all_there() -> MachineFacts {
        MachineFacts {
            paranoid: Some(1),
            capabilities: u64::MAX,
            yama_scope: None,
            perf_mlock_kb: Some(516),
            locked_memory: None,
            open_files: Some(Limit {
                soft: Some(1024),
                hard: Some(4096),
            }),
            threads: 30,
            cpus: 2,
            events: Ok(wanted_event()),
            ring: Ok(()),
            realtime: true,
            bpf: Ok(()),
            unprivileged_bpf: Some(2),
            seccomp: Seccomp::Disabled,
            kptr_restrict: Some(0),
            kernel_symbols: true,
        }
    }

    fn status(facts: &MachineFacts, check: &str) -> DoctorStatus {
        machine_rows(facts)
            .iter()
            .find(|row| row.check == check)
            .unwrap()
            .status
    }

    #[test]
    fn all_is_well_when_all_is_there() {
        let rows = machine_rows(&all_there());
        assert!(
            rows.iter()
                .all(|row| row.status == Good && row.fix.is_none()),
            "{rows:?}"
        );
    }

    #[test]
    fn paranoid_matters_only_without_the_capability() {
        let with = |level| MachineFacts {
            paranoid: Some(level),
            capabilities: 0,
            ..all_there()
        };
        assert_eq!(status(&with(1), "perf_event_paranoid"), Good);
        assert_eq!(status(&with(2), "perf_event_paranoid"), Warn);
        assert_eq!(status(&with(4), "perf_event_paranoid"), Fail);
        let able = MachineFacts {
            paranoid: Some(4),
            capabilities: 1 << CAP_PERFMON,
            ..all_there()
        };
        assert_eq!(status(&able, "perf_event_paranoid"), Good);
    }

    #[test]
    fn yama_by_scope_and_capability() {
        let with = |scope, capabilities| MachineFacts {
            yama_scope: Some(scope),
            capabilities,
            ..all_there()
        };
        assert_eq!(status(&with(0, 0), "Yama ptrace_scope"), Good);
        assert_eq!(status(&with(1, 0), "Yama ptrace_scope"), Fail);
        assert_eq!(
            status(&with(1, 1 << CAP_SYS_PTRACE), "Yama ptrace_scope"),
            Good
        );
        assert_eq!(status(&with(3, u64::MAX), "Yama ptrace_scope"), Fail);
    }

    #[test]
    fn without_bpf_there_is_another_engine_and_a_command() {
        let denied = BpfRefusal {
            is_permission: true,
            reason: "denied".to_owned(),
        };
        let facts = MachineFacts {
            bpf: Err(denied),
            ..all_there()
        };
        assert_eq!(status(&facts, "exact stacks (bpf)"), Warn);
        let rows = machine_rows(&facts);
        let row = rows.iter().find(|row| row.check == "exact stacks (bpf)");
        assert!(row.unwrap().fix.as_ref().unwrap().contains("cap_bpf"));
    }

    #[test]
    fn denied_sampling_fails_and_says_what_mends_it() {
        let facts = MachineFacts {
            events: Err(OpenError::Denied),
            seccomp: Seccomp::Filter,
            ..all_there()
        };
        assert_eq!(status(&facts, "sampling"), Fail);
        assert_eq!(status(&facts, "seccomp"), Fail);
        let rows = machine_rows(&facts);
        assert!(rows[0].fix.as_ref().unwrap().contains("seccomp=unconfined"));
    }

    #[test]
    fn open_files_are_counted_against_the_hard_limit() {
        let with = |threads| MachineFacts {
            threads,
            ..all_there()
        };
        assert_eq!(status(&with(2016), "open files"), Good);
        assert_eq!(status(&with(2017), "open files"), Fail);
    }
}
