//! All groups of the user who started us by sudo: root has others, and so has a child of root.

use std::io;
use std::process::{Child, Command};

use rustix::thread::{Gid, Uid, set_thread_groups, set_thread_res_gid, set_thread_res_uid};
use target_proc::{ProcFs, caller};

use crate::user::ChildUser;

/// Between a command and the process that called sudo are sudo, a process for its terminal, and
/// scripts.
const MOST_ANCESTORS: usize = 16;

impl ChildUser {
    /// All groups of this user: those of the process that called sudo, which may be more than the list of groups
    /// has (a directory service, `newgrp`), else those of that list.
    #[must_use]
    pub fn groups(self) -> Vec<u32> {
        let of_caller = groups_of_ancestor(&ProcFs::live(), std::process::id(), self.uid);
        of_caller.unwrap_or_else(|| caller::groups_of_user(self.uid))
    }

    /// Starts a command as this user with these groups, on a thread that has become this user for good.
    ///
    /// # Errors
    /// The kernel does not let us become this user, or the command cannot be started.
    pub fn spawn(self, command: &mut Command, groups: &[u32]) -> io::Result<Child> {
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().name("caller".to_owned());
            let working = thread.spawn_scoped(scope, || {
                let (uid, gid) = (Uid::from_raw(self.uid), Gid::from_raw(self.gid));
                let groups: Vec<Gid> = groups.iter().copied().map(Gid::from_raw).collect();
                set_thread_groups(&groups)?;
                set_thread_res_gid(gid, gid, gid)?;
                // The last one: it takes the right to set the others.
                set_thread_res_uid(uid, uid, uid)?;
                command.spawn()
            })?;
            let died = || io::Error::other("the thread that starts it died");
            working.join().unwrap_or_else(|_| Err(died()))
        })
    }
}

/// The groups of the nearest ancestor that has this user's ids and no others.
fn groups_of_ancestor(proc_fs: &ProcFs, process: u32, uid: u32) -> Option<Vec<u32>> {
    let mut pid = process;
    for _ in 0..MOST_ANCESTORS {
        pid = proc_fs.status(pid).ok()?.parent_pid;
        let status = proc_fs.status(pid).ok()?;
        let uids = status.uids;
        if [uids.real, uids.effective, uids.saved] == [uid; 3] {
            return Some(status.groups);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const USER: ChildUser = ChildUser {
        uid: 54_321,
        gid: 54_322,
    };

    fn text_of(mut child: Child) -> String {
        let mut text = String::new();
        let mut output = child.stdout.take().unwrap();
        io::Read::read_to_string(&mut output, &mut text).unwrap();
        assert!(child.wait().unwrap().success());
        text
    }

    /// A shell script, started as that user when we are root, else as us.
    fn started(script: &str, groups: &[u32]) -> Option<String> {
        rustix::process::geteuid().is_root().then(|| {
            let mut command = Command::new("/bin/sh");
            command.args(["-c", script]);
            command.stdout(std::process::Stdio::piped());
            text_of(USER.spawn(&mut command, groups).unwrap())
        })
    }

    #[test]
    fn a_command_has_all_groups_and_no_right_of_ours() {
        let script = "grep -E '^(Uid|Gid|Groups|CapPrm|CapEff|CapAmb):' /proc/self/status";
        let Some(text) = started(script, &[4, 27]) else {
            return;
        };
        let words: Vec<&str> = text.split_ascii_whitespace().collect();
        let (uid, gid, none) = ("54321", "54322", "0000000000000000");
        let expected = [
            "Uid:", uid, uid, uid, uid, "Gid:", gid, gid, gid, gid, "Groups:", "4", "27",
            "CapPrm:", none, "CapEff:", none, "CapAmb:", none,
        ];
        assert_eq!(words, expected);
        // And we are who we were.
        assert!(rustix::process::geteuid().is_root());
    }

    #[test]
    fn groups_are_those_of_the_ancestor_that_is_the_users() {
        let own = std::process::id();
        let parent = ProcFs::live().status(own).unwrap().parent_pid;
        let parent = ProcFs::live().status(parent).unwrap();
        let groups = groups_of_ancestor(&ProcFs::live(), own, parent.uids.real);
        assert_eq!(groups, Some(parent.groups));
        assert_eq!(groups_of_ancestor(&ProcFs::live(), own, USER.uid), None);
    }
}
