//! Capabilities that sampling goes on to need.

use permitted_target::NEEDED_CAPABILITIES;
use rustix::thread::{CapabilitySet, capabilities, set_capabilities};

use crate::LockError;

/// The further capabilities that root keeps: the files that a target maps may be any user's, and the
/// kernel shows mapped files that no longer have a name, and its own functions, to few.
const OF_ROOT: CapabilitySet = CapabilitySet::DAC_READ_SEARCH
    .union(CapabilitySet::CHECKPOINT_RESTORE)
    .union(CapabilitySet::SYSLOG);

/// The further needs that remain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Still {
    /// Processes of others are read, with a right of the helper.
    pub reads_others: bool,
    /// Limits are raised: events take many descriptors.
    pub raises_limits: bool,
    /// Events are opened by CAP_SYS_ADMIN, in a process that has it: this kernel requires no less.
    pub opens_events_as_admin: bool,
}

/// Gives up, for the calling thread and those that it starts, every capability that sampling does not
/// need. Where the kernel is too old to know those of sampling, nothing is given up: there only
/// CAP_SYS_ADMIN does.
///
/// # Errors
/// The error of the kernel.
pub fn drop_rights(still: Still) -> Result<(), LockError> {
    let failed = |error: rustix::io::Errno| LockError::System {
        what: "giving up capabilities",
        source: error.into(),
    };
    let mut sets = capabilities(None).map_err(failed)?;
    if !knows_capabilities_of_sampling() {
        return Ok(());
    }
    let mut kept = NEEDED_CAPABILITIES | OF_ROOT;
    if !still.reads_others {
        kept -= CapabilitySet::SYS_PTRACE;
    }
    if still.raises_limits {
        kept |= CapabilitySet::SYS_RESOURCE;
    }
    if still.opens_events_as_admin {
        kept |= CapabilitySet::SYS_ADMIN;
    }
    sets.permitted &= kept;
    sets.effective &= kept;
    sets.inheritable = CapabilitySet::empty();
    set_capabilities(None, sets).map_err(failed)
}

fn knows_capabilities_of_sampling() -> bool {
    // CAP_CHECKPOINT_RESTORE, of Linux 5.9, is number 40.
    let last = std::fs::read_to_string("/proc/sys/kernel/cap_last_cap");
    last.is_ok_and(|last| last.trim().parse::<u32>().is_ok_and(|last| last >= 40))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The permitted capabilities of a thread before and after it gave up all that it does not need.
    fn rights_around(still: Still) -> (CapabilitySet, CapabilitySet) {
        // Capabilities are those of one thread; the other tests keep theirs.
        let thread = std::thread::spawn(move || {
            let permitted = || capabilities(None).unwrap().permitted;
            let before = permitted();
            drop_rights(still).unwrap();
            (before, permitted())
        });
        thread.join().unwrap()
    }

    #[test]
    fn each_right_that_is_not_needed_further_is_given_up_and_no_other() {
        if !knows_capabilities_of_sampling() {
            return;
        }
        let all = Still {
            reads_others: true,
            raises_limits: true,
            opens_events_as_admin: true,
        };
        let needed =
            NEEDED_CAPABILITIES | OF_ROOT | CapabilitySet::SYS_RESOURCE | CapabilitySet::SYS_ADMIN;
        let (before, kept) = rights_around(all);
        assert_eq!(kept, before & needed);
        for (still, given_up) in [
            (
                Still {
                    reads_others: false,
                    ..all
                },
                CapabilitySet::SYS_PTRACE,
            ),
            (
                Still {
                    raises_limits: false,
                    ..all
                },
                CapabilitySet::SYS_RESOURCE,
            ),
            (
                Still {
                    opens_events_as_admin: false,
                    ..all
                },
                CapabilitySet::SYS_ADMIN,
            ),
        ] {
            let (before, kept) = rights_around(still);
            assert_eq!(kept, (before & needed) - given_up, "{still:?}");
        }
        let (_, kept) = rights_around(Still::default());
        let last =
            CapabilitySet::SYS_PTRACE | CapabilitySet::SYS_RESOURCE | CapabilitySet::SYS_ADMIN;
        assert!(!kept.intersects(last), "{kept:?}");
    }
}
