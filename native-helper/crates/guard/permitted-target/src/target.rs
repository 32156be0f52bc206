//! One process that the caller may look at.

use std::path::Path;
use std::sync::Arc;

use rustix::process::{getegid, getgid, getgroups, getuid};
use target_memory::{LiveMemory, ReadPermit};
use target_proc::caller;
use target_proc::{ProcError, ProcRights};

use crate::accounts::AccountList;
use crate::error::AccessError;
use crate::identity::{Facts, Identity};
use crate::policy_file::{POLICY_PATH, read_policy};
use crate::raised::Raised;

/// Above this the kernel lets no process be read by a stranger, also of the same user.
const YAMA_SCOPE: &str = "/proc/sys/kernel/yama/ptrace_scope";

/// A process that the caller may read, as it was at the time of that decision.
#[derive(Debug, Clone)]
pub struct PermittedTarget(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    identity: Identity,
    access: Access,
}

/// Whose rights are used on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Access {
    /// We have just the caller's: the kernel decides.
    AsCaller,
    /// It is the caller's own, and the kernel still decides: our right to more is not raised.
    Own,
    /// Root's policy allows it.
    ByPolicy,
}

impl ReadPermit for Inner {
    fn permit(&self, read: &mut dyn FnMut()) -> bool {
        let raised = Raised::for_others();
        read();
        drop(raised);
        self.identity.still_belongs_to_its_user()
    }
}

impl PermittedTarget {
    /// Finds out whether the caller may look at the process that has that pid now.
    ///
    /// # Errors
    /// Why not; nothing of its memory was read then.
    pub fn open(pid: u32) -> Result<Self, AccessError> {
        let identity = Identity::open(pid)?;
        let more = caller::has_more_rights_than_caller();
        let access = match more {
            false => Access::AsCaller,
            true => permit(pid, identity.facts())?,
        };
        let identity = match access {
            Access::ByPolicy => {
                let _raised = Raised::for_others();
                let again = Identity::open(pid)?;
                // The permission is for the process that was looked at.
                let (then, now) = (identity.facts(), again.facts());
                if (then.start_ticks, then.uids) != (now.start_ticks, now.uids) {
                    return Err(ProcError::NoSuchProcess { pid }.into());
                }
                again
            }
            Access::AsCaller | Access::Own => identity,
        };
        match identity.facts().is_emulator {
            Some(true) => {}
            // Without rights of our own the kernel may show no program, and refuses all that follows.
            None if !more => {}
            _ => return Err(AccessError::NotABeam { pid }),
        }
        if more && !identity.is_certain() {
            let what = "pidfd_open (Linux 5.3), without which a process could be taken for another";
            let source = std::io::ErrorKind::Unsupported.into();
            return Err(AccessError::System { what, source });
        }
        Ok(Self(Arc::new(Inner { identity, access })))
    }

    /// Its process id.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.0.identity.pid()
    }

    /// When it started, as [`target_proc::ProcFs::start_ticks`].
    #[must_use]
    pub fn start_ticks(&self) -> u64 {
        self.0.identity.facts().start_ticks
    }

    /// The rights that sampling it takes beyond the caller's, for as long as the result lives: around the system calls
    /// that open events and programs, and nothing else.
    #[must_use]
    pub fn raise_to_sample(&self) -> Raised {
        match self.0.access {
            Access::ByPolicy => Raised::for_others(),
            Access::Own => Raised::for_sampling(),
            Access::AsCaller => Raised::unneeded(),
        }
    }

    /// The right that looking at its folder of `/proc` takes beyond the caller's: none for VMs of the
    /// caller's own.
    fn raise_to_look(&self) -> Raised {
        match self.0.access {
            Access::ByPolicy => Raised::for_others(),
            Access::Own | Access::AsCaller => Raised::unneeded(),
        }
    }

    /// Whether each read of it takes a right that its user does not have.
    #[must_use]
    pub fn takes_our_right_to_read(&self) -> bool {
        match self.0.access {
            // Whatever right it was started with is its caller's.
            Access::AsCaller | Access::ByPolicy => true,
            Access::Own => false,
        }
    }

    /// Its memory. With rights that the caller lacks, reads of the caller's own VM either have the kernel compare users
    /// each time, or go to the memory it has now and never to that of a program that takes its place. After each read
    /// of another user's, allowed by root's policy, a check ensures that it still is that user's; else the bytes read
    /// are discarded.
    ///
    /// # Errors
    /// The kernel does not let us, or it is no longer the process that was permitted.
    pub fn memory(&self) -> Result<LiveMemory, AccessError> {
        let pid = self.pid();
        match self.0.access {
            Access::AsCaller => return Ok(LiveMemory::new(pid)),
            Access::Own if !is_restricted_by_yama() => return Ok(LiveMemory::new(pid)),
            Access::ByPolicy => {
                let permit: Arc<dyn ReadPermit> = self.0.clone();
                return Ok(LiveMemory::permitted(pid, permit));
            }
            Access::Own => {}
        }
        let raised = Raised::for_others();
        let file = self.0.identity.open_file("mem");
        drop(raised);
        let file = file.map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => ProcError::NoSuchProcess { pid }.into(),
            std::io::ErrorKind::PermissionDenied => {
                let file = "mem".to_owned();
                AccessError::from(ProcError::PermissionDenied { pid, file })
            }
            _ => AccessError::System {
                what: "opening its memory",
                source: error.into(),
            },
        })?;
        self.check()?;
        Ok(LiveMemory::of_file(file))
    }

    /// Opens a file of its folder in `/proc` for reading: of this very process, also when another has its
    /// number by now.
    ///
    /// # Errors
    /// The error of the kernel.
    pub fn open_file(&self, name: &str) -> std::io::Result<std::fs::File> {
        let _raised = self.raise_to_look();
        Ok(self.0.identity.open_file(name)?)
    }

    /// Whether it still is the same program of the same user. To be called after opening something by a number that
    /// could have become another's.
    ///
    /// # Errors
    /// [`AccessError::Changed`] when it is not.
    pub fn check(&self) -> Result<(), AccessError> {
        let _raised = self.raise_to_look();
        self.0.identity.check()
    }

    /// Whether the object just opened by the number of a thread is of this process.
    #[must_use]
    pub fn has_thread(&self, tid: u32) -> bool {
        let has_thread = self.0.identity.has_thread(tid);
        match self.0.access {
            // The kernel has just decided whether the caller may.
            Access::AsCaller => has_thread,
            // After that: a thread of a process that has not changed.
            Access::Own | Access::ByPolicy => has_thread && self.check().is_ok(),
        }
    }
}

impl ProcRights for PermittedTarget {
    fn within<T>(&self, look: impl FnOnce() -> T) -> T {
        let _raised = self.raise_to_look();
        look()
    }
}

/// Without Yama the kernel lets a user's processes read each other, and compares users itself.
fn is_restricted_by_yama() -> bool {
    std::fs::read(YAMA_SCOPE).is_ok_and(|scope| !scope.starts_with(b"0"))
}

fn permit(pid: u32, facts: &Facts) -> Result<Access, AccessError> {
    let caller = getuid().as_raw();
    let users = AccountList::users();
    let [owner, ..] = facts.uids;
    let is_one_user = facts.uids == [owner; 4];
    let access = match is_one_user && owner == caller {
        true => Access::Own,
        false => {
            // Which of several users it belongs to does not matter: it is not the caller alone.
            let other = facts.uids.into_iter().find(|uid| *uid != caller);
            by_policy(pid, caller, other.unwrap_or(owner), &users)?
        }
    };
    match is_one_user && facts.shown_owner == owner {
        true => Ok(access),
        false => Err(AccessError::Protected {
            pid,
            owner: users.name(owner),
        }),
    }
}

/// The owner of a process, and the caller, a different user; by name, or by number without one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OtherOwner {
    /// The owner.
    pub owner: String,
    /// The caller.
    pub caller: String,
}

/// The owner of a process that is not the caller's own; `None` for one of the caller, or of which that
/// cannot be read.
pub fn other_owner(pid: u32) -> Option<OtherOwner> {
    let caller = getuid().as_raw();
    let uids = target_proc::ProcFs::live().status(pid).ok()?.uids;
    let owner = [uids.real, uids.effective, uids.saved]
        .into_iter()
        .find(|uid| *uid != caller)?;
    let users = AccountList::users();
    Some(OtherOwner {
        owner: users.name(owner),
        caller: users.name(caller),
    })
}

fn by_policy(
    pid: u32,
    caller: u32,
    owner: u32,
    users: &AccountList,
) -> Result<Access, AccessError> {
    let policy = read_policy(Path::new(POLICY_PATH)).map_err(|source| AccessError::Policy {
        pid,
        owner: users.name(owner),
        source,
    })?;
    let groups = AccountList::groups();
    match policy.allows(caller, &own_groups(), owner, (users, &groups)) {
        true => Ok(Access::ByPolicy),
        false => Err(AccessError::NotYours {
            pid,
            owner: users.name(owner),
            caller: users.name(caller),
        }),
    }
}

fn own_groups() -> Vec<u32> {
    let others = getgroups().unwrap_or_default();
    // The effective one is the caller's too: `begin` has seen to it.
    let own = [getgid(), getegid()];
    let all = others.into_iter().chain(own);
    all.map(rustix::process::Gid::as_raw).collect()
}
