//! Which scheduler a thread is, by its name.

/// What a scheduler thread is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SchedulerKind {
    /// Runs Erlang code.
    Normal,
    /// Runs long C functions.
    DirtyCpu,
    /// Runs C functions that wait for I/O.
    DirtyIo,
}

/// Which scheduler a thread is, by the name the VM gave it (two spellings, OTP 23 to 29).
pub fn scheduler_of_thread_name(name: &str) -> Option<(SchedulerKind, u32)> {
    for (prefix, kind) in [
        ("erts_sched_", SchedulerKind::Normal),
        ("erts_dcpus_", SchedulerKind::DirtyCpu),
        ("erts_dios_", SchedulerKind::DirtyIo),
    ] {
        if let Some(number) = name.strip_prefix(prefix) {
            return Some((kind, number.parse().ok()?));
        }
    }
    let (number, rest) = name.split_once('_')?;
    let number = number.parse().ok()?;
    // The kernel keeps 15 characters, so longer names are cut.
    let is = |full: &str| rest.len() >= 5 && full.starts_with(rest);
    if is("scheduler") {
        Some((SchedulerKind::Normal, number))
    } else if rest.starts_with("dirty_c") && is("dirty_cpu_scheduler") {
        Some((SchedulerKind::DirtyCpu, number))
    } else if rest.starts_with("dirty_i") && is("dirty_io_scheduler") {
        Some((SchedulerKind::DirtyIo, number))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thread_names_of_all_releases() {
        use SchedulerKind::{DirtyCpu, DirtyIo, Normal};
        for (name, expected) in [
            ("1_scheduler", Some((Normal, 1))),
            ("12_scheduler", Some((Normal, 12))),
            ("2_dirty_cpu_sch", Some((DirtyCpu, 2))),
            ("10_dirty_io_sch", Some((DirtyIo, 10))),
            ("erts_sched_64", Some((Normal, 64))),
            ("erts_dcpus_3", Some((DirtyCpu, 3))),
            ("erts_dios_10", Some((DirtyIo, 10))),
            ("1_poller", None),
            ("async_1", None),
            ("beam.smp", None),
            ("erts_aux_1", None),
        ] {
            assert_eq!(scheduler_of_thread_name(name), expected, "{name}");
        }
    }
}
