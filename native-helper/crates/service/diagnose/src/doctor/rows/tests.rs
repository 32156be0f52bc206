//! Facts and the verdicts on them.

use super::machine_rows;
use crate::doctor::check::DoctorCheck;
use crate::doctor::limits::Limit;
use crate::doctor::machine::{BpfRefusal, MachineFacts, wanted_event};
use crate::rights::capability_numbers::{PERFMON, SYS_PTRACE};
use crate::rights::kernel::tests::open_kernel;
use crate::rights::kernel::{AppArmor, KernelFacts, Lockdown, SeLinux, UserNamespace};
use perf_ring::OpenError;
use protocol::discovery::DoctorStatus::{self, Fail, Ok as Good, Warn};
use recorder::kernel_asks;
use target_proc::status::Seccomp;

pub(crate) fn all_there() -> MachineFacts {
    MachineFacts {
        kernel: open_kernel(),
        capabilities: u64::MAX,
        locked_memory: None,
        open_files: Some(Limit {
            soft: Some(1024),
            hard: Some(4096),
        }),
        threads: 30,
        cpus: 2,
        events: Ok(wanted_event()),
        asks_for_admin: false,
        ring: Ok(()),
        realtime: true,
        bpf: Ok(()),
        seccomp: Seccomp::Disabled,
        kernel_symbols: true,
        installed_copy: privileged_copy::CopyStatus::Absent,
        is_installed_copy: false,
        is_privileged_copy: false,
    }
}

/// Of a machine with all guards up.
fn guarded_kernel() -> KernelFacts {
    KernelFacts {
        lockdown: Some(Lockdown::Confidentiality),
        user_namespace: UserNamespace::Another,
        selinux: Some(SeLinux {
            is_enforcing: true,
            context: "system_u:system_r:container_t:s0".to_owned(),
        }),
        apparmor: Some(AppArmor {
            profile: Some("docker-default (enforce)".to_owned()),
        }),
        ..open_kernel()
    }
}

const GUARDS: [DoctorCheck; 3] = [
    DoctorCheck::Lockdown,
    DoctorCheck::SeLinux,
    DoctorCheck::AppArmor,
];

fn status(facts: &MachineFacts, check: DoctorCheck) -> DoctorStatus {
    machine_rows(facts)
        .iter()
        .find(|row| row.check == check)
        .unwrap()
        .shown
        .status
}

#[test]
fn all_is_well_when_all_is_there() {
    let rows = machine_rows(&all_there());
    assert!(
        rows.iter()
            .all(|row| row.shown.status == Good && row.shown.fix.is_none()),
        "{rows:?}"
    );
}

#[test]
fn paranoid_matters_only_without_the_capability() {
    let with = |level| MachineFacts {
        kernel: KernelFacts {
            paranoid: Some(level),
            ..open_kernel()
        },
        capabilities: 0,
        ..all_there()
    };
    assert_eq!(status(&with(1), DoctorCheck::PerfEventParanoid), Good);
    assert_eq!(status(&with(2), DoctorCheck::PerfEventParanoid), Warn);
    // Sampling was tried, and works.
    assert_eq!(status(&with(4), DoctorCheck::PerfEventParanoid), Warn);
    let able = MachineFacts {
        capabilities: 1 << PERFMON,
        ..with(4)
    };
    assert_eq!(status(&able, DoctorCheck::PerfEventParanoid), Good);
}

#[test]
fn a_kernel_that_requires_more_than_the_capability_is_shown_with_the_least_remedy() {
    let refusing = |capabilities, events| MachineFacts {
        kernel: KernelFacts {
            paranoid: Some(3),
            ..open_kernel()
        },
        asks_for_admin: true,
        capabilities,
        events,
        ..all_there()
    };
    let mended = |facts: &MachineFacts, check: DoctorCheck| {
        let rows = machine_rows(facts);
        let row = rows.iter().find(|row| row.check == check).unwrap();
        (row.shown.status, row.shown.fix.clone())
    };
    let lower = Some(kernel_asks::COMMAND_TO_LOWER_PARANOID.to_owned());
    // The installed copy, which has no CAP_SYS_ADMIN.
    let copy = refusing(1 << PERFMON, Err(OpenError::Denied));
    for check in [DoctorCheck::PerfEventParanoid, DoctorCheck::Sampling] {
        assert_eq!(mended(&copy, check), (Fail, lower.clone()), "{check:?}");
    }
    // Root has it.
    let root = refusing(u64::MAX, Ok(wanted_event()));
    assert_eq!(mended(&root, DoctorCheck::PerfEventParanoid), (Good, None));
}

#[test]
fn yama_by_scope_and_capability() {
    let with = |scope, capabilities| MachineFacts {
        kernel: KernelFacts {
            yama_scope: Some(scope),
            ..open_kernel()
        },
        capabilities,
        ..all_there()
    };
    assert_eq!(status(&with(0, 0), DoctorCheck::Yama), Good);
    assert_eq!(status(&with(1, 0), DoctorCheck::Yama), Fail);
    assert_eq!(status(&with(1, 1 << SYS_PTRACE), DoctorCheck::Yama), Good);
    assert_eq!(status(&with(3, u64::MAX), DoctorCheck::Yama), Fail);
}

#[test]
fn guards_are_no_fault_where_sampling_works_and_named_where_it_does_not() {
    let working = MachineFacts {
        kernel: guarded_kernel(),
        ..all_there()
    };
    let refused = MachineFacts {
        kernel: guarded_kernel(),
        events: Err(OpenError::Denied),
        ..all_there()
    };
    for check in GUARDS {
        assert_eq!(status(&working, check), Good, "{check:?}");
        assert_eq!(status(&refused, check), Warn, "{check:?}");
    }
    assert_eq!(status(&working, DoctorCheck::UserNamespace), Warn);
    let integrity = MachineFacts {
        kernel: KernelFacts {
            lockdown: Some(Lockdown::Integrity),
            ..open_kernel()
        },
        events: Err(OpenError::Denied),
        ..all_there()
    };
    assert_eq!(status(&integrity, DoctorCheck::Lockdown), Good);
}

#[test]
fn capabilities_in_a_user_namespace_of_its_own_are_none_but_one() {
    let facts = MachineFacts {
        kernel: KernelFacts {
            user_namespace: UserNamespace::Another,
            paranoid: Some(2),
            yama_scope: Some(1),
            ..open_kernel()
        },
        ..all_there()
    };
    assert_eq!(status(&facts, DoctorCheck::ToSample), Warn);
    assert_eq!(status(&facts, DoctorCheck::PerfEventParanoid), Warn);
    assert_eq!(status(&facts, DoctorCheck::ToRead), Good);
    assert_eq!(status(&facts, DoctorCheck::Yama), Good);
    let rows = machine_rows(&facts);
    let row = rows.iter().find(|row| row.check == DoctorCheck::ToSample);
    let found = &row.unwrap().shown.found;
    assert!(found.contains("does not count"), "{found}");
}

#[test]
fn the_bpf_sysctl_is_shown_and_makes_no_difference() {
    for value in [None, Some(0), Some(1), Some(2)] {
        let kernel = KernelFacts {
            unprivileged_bpf: value,
            ..open_kernel()
        };
        let facts = MachineFacts {
            kernel,
            ..all_there()
        };
        assert_eq!(status(&facts, DoctorCheck::UnprivilegedBpf), Good);
    }
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
    assert_eq!(status(&facts, DoctorCheck::ExactStacks), Warn);
    let rows = machine_rows(&facts);
    let row = rows
        .iter()
        .find(|row| row.check == DoctorCheck::ExactStacks);
    assert!(
        row.unwrap()
            .shown
            .fix
            .as_ref()
            .unwrap()
            .ends_with(" install")
    );
}

#[test]
fn denied_sampling_fails_with_the_remedy() {
    let facts = MachineFacts {
        events: Err(OpenError::Denied),
        seccomp: Seccomp::Filter,
        ..all_there()
    };
    assert_eq!(status(&facts, DoctorCheck::Sampling), Fail);
    assert_eq!(status(&facts, DoctorCheck::Seccomp), Fail);
    let rows = machine_rows(&facts);
    assert!(
        rows[0]
            .shown
            .fix
            .as_ref()
            .unwrap()
            .contains("seccomp=unconfined")
    );
}

#[test]
fn open_files_are_counted_against_the_hard_limit() {
    let with = |threads| MachineFacts {
        threads,
        ..all_there()
    };
    assert_eq!(status(&with(2016), DoctorCheck::OpenFiles), Good);
    assert_eq!(status(&with(2017), DoctorCheck::OpenFiles), Fail);
}

#[test]
fn every_text_with_words_has_its_code_and_every_command_its_field() {
    let denied = MachineFacts {
        kernel: KernelFacts {
            paranoid: Some(4),
            yama_scope: Some(3),
            ..guarded_kernel()
        },
        capabilities: 0,
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
    for row in [denied, all_there()].iter().flat_map(machine_rows) {
        let row = row.shown;
        for (member, text) in [("found", &row.found), ("needed", &row.needed)] {
            let has_code = row.actionable.messages.contains_key(member);
            assert!(has_code || !words(text), "{member} of {row:?}");
        }
        // The remedy is a command, or advice that can be translated.
        let advice = row.actionable.messages.contains_key("fix");
        assert_eq!(
            row.fix.is_some(),
            advice || row.actionable.command.is_some(),
            "{row:?}"
        );
        assert!(!advice || row.actionable.command.is_none(), "{row:?}");
    }
}
