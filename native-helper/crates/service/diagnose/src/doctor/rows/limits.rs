//! What the rings and events of a recording take, and how much of it there may be.

use std::fmt::Display;

use protocol::discovery::DoctorStatus::{Fail, Ok as Good, Warn};
use protocol::message::{Template, Text, texts};

use crate::doctor::capabilities::has;
use crate::doctor::check::DoctorCheck;
use crate::doctor::checked_row::{CheckedRow, Mend, row};
use crate::doctor::machine::MachineFacts;
use crate::doctor::remedy::to_get_rights;
use crate::rights::capability_numbers::IPC_LOCK;

/// Descriptors we need besides the events: rings, files, pipes.
const OTHER_DESCRIPTORS: u64 = 64;

pub fn locked_memory(facts: &MachineFacts) -> CheckedRow {
    let limit = match facts.locked_memory {
        Some(limit) => limit.soft.map_or("unlimited".to_owned(), |bytes| {
            format!("{} KiB", bytes >> 10)
        }),
        None => "?".to_owned(),
    };
    let kib = facts
        .kernel
        .perf_mlock_kb
        .map_or_else(|| "?".to_owned(), |kib| kib.to_string());
    let found = |template: Template, detail: &str| {
        let arguments: [(&str, &dyn Display); 3] =
            [("kib", &kib), ("limit", &limit), ("detail", &detail)];
        template.with(&arguments[..if detail.is_empty() { 2 } else { 3 }])
    };
    let (status, found) = match &facts.ring {
        Ok(()) if has(facts, IPC_LOCK) => (Good, found(texts::FOUND_MEMORY_FREE, "")),
        Ok(()) => (Good, found(texts::FOUND_MEMORY, "")),
        // The row about sampling reports a refused event; this one is about refused memory only.
        Err(perf_ring::RingError::Open(error)) => {
            (Warn, found(texts::FOUND_MEMORY_UNTRIED, &error.to_string()))
        }
        Err(error) => (Fail, found(texts::FOUND_MEMORY_REFUSED, &error.to_string())),
    };
    // The kernel checks CAP_IPC_LOCK, which the copy has, before either limit counts.
    let mend = Some(to_get_rights(facts));
    let check = DoctorCheck::LockedMemory;
    row(check, status, found, texts::NEED_RING.text(), mend)
}

pub fn open_files(facts: &MachineFacts) -> CheckedRow {
    let wanted = u64::from(facts.threads) * u64::from(facts.cpus) + OTHER_DESCRIPTORS;
    let needed = texts::NEED_FILES.with(&[
        ("files", &wanted),
        ("threads", &facts.threads),
        ("cpus", &facts.cpus),
        ("others", &OTHER_DESCRIPTORS),
    ]);
    let (status, found) = match facts.open_files {
        None => (Warn, texts::FOUND_LIMIT_NOT_REPORTED.text()),
        // The soft limit is raised to the hard one when sampling starts.
        Some(limit) => match limit.hard {
            None => (Good, texts::FOUND_UNLIMITED.text()),
            Some(hard) if hard >= wanted => (Good, Text::plain(hard.to_string())),
            Some(hard) => (Fail, Text::plain(hard.to_string())),
        },
    };
    let mend = Mend::Command(format!("sudo prlimit --pid $$ --nofile={wanted}:{wanted}"));
    row(DoctorCheck::OpenFiles, status, found, needed, Some(mend))
}
