//! What the facts about the machine mean for sampling.

use std::fmt::Display;

use perf_ring::{EventKind, KernelFrames};
use protocol::discovery::DoctorRow;
use protocol::discovery::DoctorStatus::{Fail, Ok as Good, Warn};
use protocol::message::{Template, Text, texts};
use target_proc::status::Seccomp;

use super::machine::MachineFacts;
use super::{Mend, row};
use crate::refusal::{open_error, setcap};

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
    let (status, found, mend) = match &facts.events {
        Ok(settings) if settings.kernel == KernelFrames::Excluded => (
            Warn,
            texts::FOUND_USER_ONLY.with(&[("event", &settings.kind.name())]),
            Mend::command(setcap()),
        ),
        Ok(settings) => (
            Good,
            texts::FOUND_WITH_KERNEL.with(&[("event", &settings.kind.name())]),
            Mend::command(setcap()),
        ),
        Err(error) => (Fail, open_error(error), events_mend(facts)),
    };
    let check = texts::CHECK_SAMPLING.text();
    row(check, status, found, texts::NEED_EVENTS.text(), Some(mend))
}

fn events_mend(facts: &MachineFacts) -> Mend {
    if facts.seccomp == Seccomp::Filter && may_perf(facts) {
        Mend::Advice(texts::TO_ALLOW_CONTAINER.text())
    } else if facts.paranoid.is_none() {
        Mend::Advice(texts::TO_BOOT_PERF.text())
    } else {
        Mend::command(setcap())
    }
}

fn paranoid(facts: &MachineFacts) -> DoctorRow {
    let lower = Mend::command("sudo sysctl kernel.perf_event_paranoid=1");
    let (status, found, mend) = match facts.paranoid {
        None => (
            Fail,
            texts::FOUND_NO_PERF.text(),
            Mend::Advice(texts::TO_BOOT_PERF.text()),
        ),
        Some(level) if may_perf(facts) => (Good, not_asked(level, "CAP_PERFMON"), lower),
        Some(level @ ..=1) => (Good, Text::plain(level.to_string()), lower),
        Some(2) => (Warn, Text::plain("2"), lower),
        Some(level) => (Fail, Text::plain(level.to_string()), lower),
    };
    let check = Text::plain("perf_event_paranoid");
    row(
        check,
        status,
        found,
        texts::NEED_PARANOID.text(),
        Some(mend),
    )
}

/// A setting that the kernel does not hold against who has the capability.
fn not_asked(value: i64, capability: &str) -> Text {
    texts::FOUND_NOT_ASKED.with(&[("value", &value), ("capability", &capability)])
}

fn perfmon(facts: &MachineFacts) -> DoctorRow {
    let found = match (has(facts, CAP_PERFMON), has(facts, CAP_SYS_ADMIN)) {
        (true, _) => Text::plain("CAP_PERFMON"),
        (false, true) => texts::FOUND_INCLUDED.text(),
        (false, false) => texts::FOUND_NO_CAPABILITY.text(),
    };
    let status = if may_perf(facts) { Good } else { Warn };
    let check = texts::CHECK_TO_SAMPLE.text();
    let mend = Mend::command(setcap());
    row(check, status, found, texts::NEED_PERFMON.text(), Some(mend))
}

fn ptrace(facts: &MachineFacts) -> DoctorRow {
    let (status, found) = match has(facts, CAP_SYS_PTRACE) {
        true => (Good, Text::plain("CAP_SYS_PTRACE")),
        false => (Warn, texts::FOUND_NO_PTRACE.text()),
    };
    let check = texts::CHECK_TO_READ.text();
    let mend = Mend::command(setcap());
    row(check, status, found, texts::NEED_PTRACE.text(), Some(mend))
}

fn yama(facts: &MachineFacts) -> DoctorRow {
    let privileged = has(facts, CAP_SYS_PTRACE);
    let (status, found) = match facts.yama_scope {
        None => (Good, texts::FOUND_NO_YAMA.text()),
        Some(0) => (Good, Text::plain("0")),
        Some(scope @ 1..=2) if privileged => (Good, not_asked(scope, "CAP_SYS_PTRACE")),
        Some(3) => (Fail, texts::FOUND_YAMA_NEVER.text()),
        Some(scope) => (Fail, texts::FOUND_YAMA_DENIES.with(&[("scope", &scope)])),
    };
    let mend = match facts.yama_scope {
        Some(3) => {
            "sudo sed -i '/ptrace_scope/d' /etc/sysctl.conf /etc/sysctl.d/*.conf && sudo reboot"
        }
        _ => "sudo sysctl kernel.yama.ptrace_scope=0",
    };
    let check = Text::plain("Yama ptrace_scope");
    let mend = Some(Mend::command(mend));
    row(check, status, found, texts::NEED_YAMA.text(), mend)
}

fn seccomp(facts: &MachineFacts) -> DoctorRow {
    let (status, found) = match (facts.seccomp, facts.events.is_ok()) {
        (Seccomp::Disabled, _) => (Good, texts::FOUND_NO_FILTER),
        (Seccomp::Unknown, true) => (Good, texts::FOUND_FILTER_UNKNOWN),
        (_, true) => (Good, texts::FOUND_FILTER_PASSES),
        (Seccomp::Filter | Seccomp::Strict, false) if may_perf(facts) => {
            (Fail, texts::FOUND_FILTER_REFUSES)
        }
        (_, false) => (Warn, texts::FOUND_FILTER_PERHAPS),
    };
    row(
        Text::plain("seccomp"),
        status,
        found.text(),
        texts::NEED_SECCOMP.text(),
        Some(Mend::Advice(texts::TO_ALLOW_CONTAINER.text())),
    )
}

fn locked_memory(facts: &MachineFacts) -> DoctorRow {
    let limit = match facts.locked_memory {
        Some(limit) => limit.soft.map_or("unlimited".to_owned(), |bytes| {
            format!("{} KiB", bytes >> 10)
        }),
        None => "?".to_owned(),
    };
    let kib = facts
        .perf_mlock_kb
        .map_or_else(|| "?".to_owned(), |kib| kib.to_string());
    let found = |template: Template, detail: &str| {
        let arguments: [(&str, &dyn Display); 3] =
            [("kib", &kib), ("limit", &limit), ("detail", &detail)];
        template.with(&arguments[..if detail.is_empty() { 2 } else { 3 }])
    };
    let (status, found, mend) = match &facts.ring {
        Ok(()) if has(facts, CAP_IPC_LOCK) => (Good, found(texts::FOUND_MEMORY_FREE, ""), setcap()),
        Ok(()) => (Good, found(texts::FOUND_MEMORY, ""), setcap()),
        // A refused event is told above; only refused memory is mended here.
        Err(perf_ring::RingError::Open(error)) => (
            Warn,
            found(texts::FOUND_MEMORY_UNTRIED, &error.to_string()),
            setcap(),
        ),
        Err(error) => (
            Fail,
            found(texts::FOUND_MEMORY_REFUSED, &error.to_string()),
            "sudo sysctl kernel.perf_event_mlock_kb=1024",
        ),
    };
    let check = texts::CHECK_LOCKED_MEMORY.text();
    let mend = Some(Mend::command(mend));
    row(check, status, found, texts::NEED_RING.text(), mend)
}

fn open_files(facts: &MachineFacts) -> DoctorRow {
    let wanted = u64::from(facts.threads) * u64::from(facts.cpus) + OTHER_DESCRIPTORS;
    let needed = texts::NEED_FILES.with(&[
        ("files", &wanted),
        ("threads", &facts.threads),
        ("cpus", &facts.cpus),
        ("others", &OTHER_DESCRIPTORS),
    ]);
    let (status, found) = match facts.open_files {
        None => (Warn, texts::FOUND_NO_LIMIT_TOLD.text()),
        // The soft limit is raised to the hard one when sampling starts.
        Some(limit) => match limit.hard {
            None => (Good, texts::FOUND_UNLIMITED.text()),
            Some(hard) if hard >= wanted => (Good, Text::plain(hard.to_string())),
            Some(hard) => (Fail, Text::plain(hard.to_string())),
        },
    };
    let mend = Mend::Command(format!("sudo prlimit --pid $$ --nofile={wanted}:{wanted}"));
    row(
        texts::CHECK_OPEN_FILES.text(),
        status,
        found,
        needed,
        Some(mend),
    )
}

fn event_source(facts: &MachineFacts) -> DoctorRow {
    let (status, found) = match &facts.events {
        Ok(settings) if settings.kind == EventKind::Cycles => (Good, texts::FOUND_CYCLES),
        Ok(_) => (Good, texts::FOUND_NO_PMU),
        Err(_) => (Warn, texts::FOUND_NO_EVENT),
    };
    let needed = texts::NEED_CYCLES.text();
    let mend = Some(Mend::command(setcap()));
    row(
        texts::CHECK_EVENT.text(),
        status,
        found.text(),
        needed,
        mend,
    )
}

fn realtime(facts: &MachineFacts) -> DoctorRow {
    let (status, found) = match facts.realtime {
        true => (Good, texts::FOUND_ALLOWED),
        false => (Warn, texts::FOUND_NOT_REALTIME),
    };
    let needed = texts::NEED_REALTIME.text();
    let mend = Some(Mend::command(setcap()));
    row(
        texts::CHECK_REALTIME.text(),
        status,
        found.text(),
        needed,
        mend,
    )
}

fn kernel_symbols(facts: &MachineFacts) -> DoctorRow {
    let level = facts
        .kptr_restrict
        .map_or_else(|| "?".to_owned(), |level| level.to_string());
    let (status, found) = match facts.kernel_symbols {
        true => (Good, texts::FOUND_SYMBOLS),
        false => (Warn, texts::FOUND_NO_SYMBOLS),
    };
    // With kptr_restrict 0 the kernel still hides them from whom it does not let profile it.
    let mend = match facts.kptr_restrict {
        Some(0) => "sudo sysctl kernel.perf_event_paranoid=1",
        _ => "sudo sysctl kernel.kptr_restrict=0 kernel.perf_event_paranoid=1",
    };
    row(
        texts::CHECK_KERNEL_SYMBOLS.text(),
        status,
        found.with(&[("level", &level)]),
        texts::NEED_KERNEL_SYMBOLS.text(),
        Some(Mend::command(mend)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::limits::Limit;
    use crate::doctor::machine::BpfRefusal;
    use crate::doctor::machine::wanted_event;
    use perf_ring::OpenError;
    use protocol::discovery::DoctorStatus;

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

    #[test]
    fn every_text_with_words_has_its_code_and_every_command_its_field() {
        let denied = MachineFacts {
            paranoid: Some(4),
            capabilities: 0,
            yama_scope: Some(3),
            events: Err(OpenError::Denied),
            realtime: false,
            bpf: Err(BpfRefusal {
                is_permission: true,
                reason: "denied".to_owned(),
            }),
            seccomp: Seccomp::Filter,
            kernel_symbols: false,
            open_files: None,
            ..all_there()
        };
        let words = |text: &str| text.contains(' ');
        for row in machine_rows(&denied)
            .iter()
            .chain(&machine_rows(&all_there()))
        {
            for (member, text) in [("found", &row.found), ("needed", &row.needed)] {
                let has_code = row.actionable.messages.contains_key(member);
                assert!(has_code || !words(text), "{member} of {row:?}");
            }
            // What mends is a command, or advice that can be said in another language.
            let advice = row.actionable.messages.contains_key("fix");
            assert_eq!(
                row.fix.is_some(),
                advice || row.actionable.command.is_some(),
                "{row:?}"
            );
            assert!(!advice || row.actionable.command.is_none(), "{row:?}");
        }
    }
}
