//! The group whose members may start the copy.

use std::fmt;
use std::process::{Command, Stdio};
use std::str::FromStr;

use unprivileged_child::USUAL_FOLDERS;

use crate::error::InstallError;

/// Programs that make a group: those of shadow, and those of Alpine.
const MAKERS: [&[&str]; 2] = [&["groupadd", "--system"], &["addgroup", "-S"]];
const REMOVERS: [&[&str]; 2] = [&["groupdel"], &["delgroup"]];
const ADMIN_FOLDERS: [&str; 2] = ["/usr/sbin", "/sbin"];

/// A name that a group may have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupName(String);

impl FromStr for GroupName {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "_-".contains(c);
        let begins = text.starts_with(|c: char| c.is_ascii_lowercase() || c == '_');
        match begins && text.len() <= 32 && text.chars().all(is_plain) {
            true => Ok(Self(text.to_owned())),
            false => Err("not a name of a group: small letters, digits, _ and -, at most 32"),
        }
    }
}

impl fmt::Display for GroupName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A group that is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Group {
    /// Its number.
    pub id: u32,
    /// Whether it was just made.
    pub is_new: bool,
}

/// Its number, from this machine's own list.
pub fn id_of(name: &GroupName) -> Option<u32> {
    let groups = std::fs::read_to_string("/etc/group").ok()?;
    groups.lines().find_map(|line| {
        let mut fields = line.split(':');
        (fields.next()? == name.0).then_some(())?;
        fields.nth(1)?.parse().ok()
    })
}

/// The group; made when it is not there.
pub fn find_or_make(name: &GroupName) -> Result<Group, InstallError> {
    if let Some(id) = id_of(name) {
        return Ok(Group { id, is_new: false });
    }
    let failed = |why: String| InstallError::NoGroup {
        name: name.0.clone(),
        why,
    };
    run_first(&MAKERS, name).map_err(failed)?;
    match id_of(name) {
        Some(id) => Ok(Group { id, is_new: true }),
        None => Err(failed("it was made, and is not in /etc/group".to_owned())),
    }
}

/// Removes the group.
pub fn remove(name: &GroupName) -> Result<(), String> {
    match id_of(name) {
        Some(_) => run_first(&REMOVERS, name),
        None => Ok(()),
    }
}

/// Runs the first of the programs that this machine has.
fn run_first(programs: &[&[&str]], name: &GroupName) -> Result<(), String> {
    for words in programs {
        let [program, arguments @ ..] = words else {
            continue;
        };
        let folders = ADMIN_FOLDERS.iter().chain(&USUAL_FOLDERS);
        let paths = folders.map(|folder| std::path::Path::new(folder).join(program));
        let Some(path) = paths.into_iter().find(|path| path.is_file()) else {
            continue;
        };
        let output = Command::new(path)
            .args(arguments)
            .arg(&name.0)
            .env_clear()
            .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
            .stdin(Stdio::null())
            .output()
            .map_err(|error| format!("{program}: {error}"))?;
        return match output.status.success() {
            true => Ok(()),
            false => Err(format!(
                "{program}: {}",
                String::from_utf8_lossy(&output.stderr).trim()
            )),
        };
    }
    Err("this machine has no program for it".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_no_option_and_no_path() {
        for good in ["extrospect", "_x", "ops-1"] {
            assert!(good.parse::<GroupName>().is_ok(), "{good}");
        }
        for wrong in ["", "-r", "a b", "A", "../x", "x:0", "1a", &"x".repeat(33)] {
            assert!(wrong.parse::<GroupName>().is_err(), "{wrong}");
        }
    }
}
