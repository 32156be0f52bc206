//! The first action of the program: it keeps as few of its rights as possible.

use std::io;
use std::sync::OnceLock;

use rustix::fs::{Mode, OFlags, fgetxattr, fstat, open};
use rustix::process::{Gid, Uid, getegid, geteuid, getgid, getuid};
use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, clear_ambient_capability_set, set_capabilities,
    set_keep_capabilities, set_thread_groups, set_thread_res_gid, set_thread_res_uid,
};
use target_proc::caller;
use thiserror::Error;

/// All that the helper can use: sampling, its eBPF program, reading memory, real-time readers, rings.
pub const NEEDED_CAPABILITIES: CapabilitySet = CapabilitySet::PERFMON
    .union(CapabilitySet::BPF)
    .union(CapabilitySet::SYS_PTRACE)
    .union(CapabilitySet::SYS_NICE)
    .union(CapabilitySet::IPC_LOCK);

/// The set-user-id bit of a program file.
const SET_USER_ID: u32 = 0o4000;

/// Our rights could not be given up: nothing may be done with them.
#[derive(Debug, Error)]
#[error("cannot give up rights that are not needed ({what}): {source}")]
pub struct BeginError {
    what: &'static str,
    source: io::Error,
}

/// To be called first of all, while there is only one thread. With rights that the caller does not have we become the
/// caller, except for [`NEEDED_CAPABILITIES`], each of which is in force only while it is raised; and the environment
/// is reduced to harmless variables. Else it does nothing.
///
/// # Errors
/// When that fails. The program has to end then.
pub fn begin() -> Result<(), BeginError> {
    // Seen now: later it may not be looked up any more.
    let _ = is_privileged_copy();
    let lent_to = caller_by_rule();
    if lent_to.is_none() && !caller::has_more_rights_than_caller() {
        return Ok(());
    }
    caller::distrust_environment();
    become_caller(lent_to).map_err(failed("becoming the caller"))?;
    let held = capabilities(None).map_err(failed("reading our capabilities"))?;
    let permitted = held.permitted & NEEDED_CAPABILITIES;
    clear_ambient_capability_set().map_err(failed("ambient capabilities"))?;
    let sets = CapabilitySets {
        effective: CapabilitySet::empty(),
        permitted,
        inheritable: CapabilitySet::empty(),
    };
    set_capabilities(None, sets).map_err(failed("capabilities"))
}

/// Gives up, for good and for threads that are started from here on, every right that the caller lacks. To be called
/// while there is only one thread. A copy of this program that is started has them again.
///
/// # Errors
/// When that fails. The program has to end then.
pub fn renounce() -> Result<(), BeginError> {
    if !caller::has_more_rights_than_caller() {
        return Ok(());
    }
    let none = CapabilitySets {
        effective: CapabilitySet::empty(),
        permitted: CapabilitySet::empty(),
        inheritable: CapabilitySet::empty(),
    };
    set_capabilities(None, none).map_err(failed("giving up our capabilities"))
}

/// Whether a program that is started gets no right of the helper: after [`renounce`].
#[must_use]
pub fn has_no_rights_to_pass_on() -> bool {
    let is_caller = getuid() == geteuid() && getgid() == getegid();
    let none = CapabilitySet::empty();
    let has_none = |held: CapabilitySets| held.permitted == none && held.inheritable == none;
    // The ambient ones are among those that are both permitted and inheritable.
    is_caller && capabilities(None).is_ok_and(has_none)
}

fn failed(what: &'static str) -> impl Fn(rustix::io::Errno) -> BeginError {
    move |error| BeginError {
        what,
        source: error.into(),
    }
}

/// User and group `nobody`.
const NOBODY: u32 = 65_534;

/// The user who called sudo or doas, when they run the copy that has rights of its own: a rule for
/// that program lends its caller the program, not root.
fn caller_by_rule() -> Option<(Uid, Gid)> {
    if !getuid().is_root() || !geteuid().is_root() || !is_privileged_copy() {
        return None;
    }
    let number = |name| caller::variable(name)?.to_str()?.parse::<u32>().ok();
    let nobody = (NOBODY, NOBODY);
    let (uid, gid) = match (number("SUDO_UID"), caller::variable("DOAS_USER")) {
        (None, None) => return None,
        // Without a group of the caller's: that of `nobody`, rather than root's.
        (Some(uid), None) => (uid, number("SUDO_GID").unwrap_or(NOBODY)),
        // doas passes a name. A user in no list is `nobody`, rather than root.
        (None, Some(name)) => caller::ids_of_user(&name).unwrap_or(nobody),
        // Each of the two leaves no variable of the other, unless a rule keeps the variables that
        // its caller sets.
        (Some(_), Some(_)) => nobody,
    };
    let is_other = |id: u32| id != 0 && id != u32::MAX;
    let gid = Some(gid).filter(|gid| is_other(*gid)).unwrap_or(NOBODY);
    is_other(uid).then(|| (Uid::from_raw(uid), Gid::from_raw(gid)))
}

/// Whether this program's file gives rights to every user who starts it.
#[must_use]
pub fn is_privileged_copy() -> bool {
    static IS_COPY: OnceLock<bool> = OnceLock::new();
    *IS_COPY.get_or_init(has_rights_of_its_own)
}

fn has_rights_of_its_own() -> bool {
    let Ok(program) = open("/proc/self/exe", OFlags::CLOEXEC, Mode::empty()) else {
        return false;
    };
    let mut value = [0_u8; 64];
    let is_set_user_id = fstat(&program).is_ok_and(|stat| stat.st_mode & SET_USER_ID != 0);
    is_set_user_id || fgetxattr(&program, "security.capability", &mut value).is_ok()
}

fn become_caller(lent_to: Option<(Uid, Gid)>) -> rustix::io::Result<()> {
    let (uid, gid) = lent_to.unwrap_or((getuid(), getgid()));
    if lent_to.is_some() {
        // The group of our own file, so that we may start a process of our own to look at a VM.
        let own = rustix::fs::stat("/proc/self/exe")?.st_gid;
        set_thread_groups(&[gid, Gid::from_raw(own)])?;
    }
    if lent_to.is_some() || getegid() != gid {
        set_thread_res_gid(gid, gid, gid)?;
    }
    if lent_to.is_some() || geteuid() != uid {
        set_keep_capabilities(true)?;
        set_thread_res_uid(uid, uid, uid)?;
        set_keep_capabilities(false)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_without_rights_of_its_own_keeps_what_it_has() {
        assert!(!is_privileged_copy());
        let before = capabilities(None).unwrap();
        begin().unwrap();
        assert_eq!(capabilities(None).unwrap(), before);
    }
}
