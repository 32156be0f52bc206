//! Putting the copy in place, and removing it.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use permitted_target::NEEDED_CAPABILITIES;
use rustix::fs::{
    AtFlags, Mode, OFlags, StatVfsMountFlags, XattrFlags, fchmod, fchown, fgetxattr, fsetxattr,
    fstatvfs, fsync, openat, renameat, unlinkat,
};
use rustix::io::Errno;
use rustix::process::{Gid, Uid, geteuid, getuid};

use crate::PROGRAM_NAME;
use crate::capability_value::{ATTRIBUTE, value};
use crate::error::InstallError;
use crate::folder::{IfAbsent, expect_free_or_file, open_safe};
use crate::group::{Group, GroupName, find_or_make, remove};

/// A folder that became empty is removed when it has this name, which marks it as ours.
const OWN_FOLDER_NAME: &str = "extrospect";

/// The result of an installation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installed {
    /// The copy.
    pub program: PathBuf,
    /// Whether one that was there was replaced.
    pub replaced: bool,
    /// The group that may start it.
    pub group: Group,
}

/// The result of a removal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Removed {
    /// Where the copy was.
    pub program: PathBuf,
    /// Whether there was one.
    pub was_there: bool,
    /// The group that was removed, too, or why it was not.
    pub group: Option<Result<String, String>>,
}

/// Puts a copy of this program into `folder`, for the members of a group. One that is there is replaced
/// at once: at no time is there half a program, or one with rights and the wrong owner.
///
/// # Errors
/// See [`InstallError`].
pub fn install(folder: &Path, group: &GroupName) -> Result<Installed, InstallError> {
    expect_root()?;
    let program = folder.join(PROGRAM_NAME);
    let at = open_safe(folder, IfAbsent::Make)?;
    let flags = fstatvfs(&at).map_err(InstallError::of("cannot look at", folder))?;
    if flags.f_flag.contains(StatVfsMountFlags::NOSUID) {
        return Err(InstallError::NoSetUserId(folder.to_owned()));
    }
    let replaced = expect_free_or_file(&at, PROGRAM_NAME, &program)?;
    let group = find_or_make(group)?;
    let temporary = format!(".{PROGRAM_NAME}.{}", std::process::id());
    let result = write_copy(&at, &temporary, &program, group.id).and_then(|()| {
        renameat(&at, &temporary, &at, PROGRAM_NAME)
            .map_err(InstallError::of("cannot put in place", &program))
    });
    if result.is_err() {
        // The unfinished copy has no rights.
        let _ = unlinkat(&at, &temporary, AtFlags::empty());
    }
    result?;
    // Without it the copy could be gone after a loss of power, which does no harm.
    let _ = fsync(&at);
    Ok(Installed {
        program,
        replaced,
        group,
    })
}

/// Removes the copy, and with `purge` the group, too.
///
/// # Errors
/// See [`InstallError`].
pub fn uninstall(folder: &Path, purge: Option<&GroupName>) -> Result<Removed, InstallError> {
    expect_root()?;
    let program = folder.join(PROGRAM_NAME);
    let was_there = match open_safe(folder, IfAbsent::Fail) {
        Ok(at) => {
            let was_there = expect_free_or_file(&at, PROGRAM_NAME, &program)?;
            if was_there {
                unlinkat(&at, PROGRAM_NAME, AtFlags::empty())
                    .map_err(InstallError::of("cannot remove", &program))?;
            }
            was_there
        }
        Err(InstallError::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
            false
        }
        Err(error) => return Err(error),
    };
    if was_there
        && folder
            .file_name()
            .is_some_and(|name| name == OWN_FOLDER_NAME)
    {
        // It stays when something else is in it.
        let _ = std::fs::remove_dir(folder);
    }
    let group = purge.map(|name| remove(name).map(|()| name.to_string()));
    Ok(Removed {
        program,
        was_there,
        group,
    })
}

fn expect_root() -> Result<(), InstallError> {
    match geteuid().is_root() && getuid().is_root() {
        true => Ok(()),
        false => Err(InstallError::NotRoot),
    }
}

/// A complete copy under another name, which no user can start until its owner is right.
fn write_copy(
    at: &OwnedFd,
    temporary: &str,
    program: &Path,
    group: u32,
) -> Result<(), InstallError> {
    let failed = |what| {
        move |source| InstallError::Io {
            what,
            path: program.to_owned(),
            source,
        }
    };
    let flags = OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::WRONLY | OFlags::CLOEXEC;
    // Of an earlier try that was ended.
    let _ = unlinkat(at, temporary, AtFlags::empty());
    let file = openat(at, temporary, flags, Mode::empty())
        .map_err(InstallError::of("cannot create", program))?;
    let mut file = File::from(file);
    let mut own = File::open("/proc/self/exe").map_err(failed("cannot read this program for"))?;
    copy(&mut own, &mut file).map_err(failed("cannot write"))?;
    fchown(&file, Some(Uid::ROOT), Some(Gid::from_raw(group)))
        .map_err(InstallError::of("cannot give to the group", program))?;
    fchmod(&file, Mode::RWXU | Mode::RGRP | Mode::XGRP)
        .map_err(InstallError::of("cannot change", program))?;
    // Last: a change of the owner takes capabilities away.
    let wanted = value(NEEDED_CAPABILITIES);
    match fsetxattr(&file, ATTRIBUTE, &wanted, XattrFlags::empty()) {
        Ok(()) => {}
        Err(Errno::OPNOTSUPP) => return Err(InstallError::NoCapabilities(program.to_owned())),
        Err(error) => return Err(InstallError::of("cannot give rights to", program)(error)),
    }
    let mut kept = [0_u8; 64];
    let kept_bytes = fgetxattr(&file, ATTRIBUTE, &mut kept)
        .map_err(InstallError::of("cannot read the rights of", program))?;
    if kept.get(..kept_bytes) != Some(&wanted[..]) {
        return Err(InstallError::NoCapabilities(program.to_owned()));
    }
    file.sync_all().map_err(failed("cannot write"))
}

fn copy(from: &mut File, to: &mut File) -> std::io::Result<()> {
    let mut chunk = vec![0; 1 << 20];
    loop {
        match from.read(&mut chunk)? {
            0 => return Ok(()),
            read => to.write_all(&chunk[..read])?,
        }
    }
}
