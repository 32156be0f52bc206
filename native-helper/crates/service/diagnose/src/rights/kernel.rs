//! What the kernel's settings and guards are, read below a root folder, so that tests can hold each case.

mod guards;

use std::fs::File;
use std::io::Read;
use std::path::Path;

pub use guards::{AppArmor, Lockdown, SeLinux, UserNamespace};

/// No file that is read here is longer.
const MAX_FILE_BYTES: u64 = 64 << 10;

/// The kernel's permissions for every process, and our identity to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelFacts {
    /// `kernel.perf_event_paranoid`; `None` when the kernel has no perf events.
    pub paranoid: Option<i64>,
    /// `kernel.yama.ptrace_scope`; `None` when there is no Yama.
    pub yama_scope: Option<i64>,
    /// `kernel.perf_event_mlock_kb`.
    pub perf_mlock_kb: Option<i64>,
    /// `kernel.unprivileged_bpf_disabled`.
    pub unprivileged_bpf: Option<i64>,
    /// `kernel.kptr_restrict`.
    pub kptr_restrict: Option<i64>,
    /// What of the kernel is locked against root; `None` when it has no such lock.
    pub lockdown: Option<Lockdown>,
    /// The user namespace in which capabilities count.
    pub user_namespace: UserNamespace,
    /// Capabilities that a program's file can give this process, one bit each.
    pub bounding_capabilities: u64,
    /// No program's file gives this process any.
    pub no_new_privileges: bool,
    /// SELinux; `None` when it is not in force.
    pub selinux: Option<SeLinux>,
    /// AppArmor; `None` when it is not in force.
    pub apparmor: Option<AppArmor>,
}

impl KernelFacts {
    /// Reads them below `root`, which is `/` but in tests.
    pub fn read(root: &Path) -> Self {
        let setting = |name: &str| number(root, &format!("proc/sys/kernel/{name}"));
        let status = text(root, "proc/self/status").unwrap_or_default();
        Self {
            paranoid: setting("perf_event_paranoid"),
            yama_scope: setting("yama/ptrace_scope"),
            perf_mlock_kb: setting("perf_event_mlock_kb"),
            unprivileged_bpf: setting("unprivileged_bpf_disabled"),
            kptr_restrict: setting("kptr_restrict"),
            lockdown: guards::lockdown(root),
            user_namespace: guards::user_namespace(root),
            // A kernel without this line is taken to give them all.
            bounding_capabilities: line(&status, "CapBnd")
                .and_then(|digits| u64::from_str_radix(digits, 16).ok())
                .unwrap_or(u64::MAX),
            no_new_privileges: line(&status, "NoNewPrivs") == Some("1"),
            selinux: guards::selinux(root),
            apparmor: guards::apparmor(root),
        }
    }
}

/// The text after `name:` in a status file.
fn line<'a>(status: &'a str, name: &str) -> Option<&'a str> {
    status.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key == name).then(|| value.trim())
    })
}

fn text(root: &Path, path: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let file = File::open(root.join(path)).ok()?;
    file.take(MAX_FILE_BYTES).read_to_end(&mut bytes).ok()?;
    // Contexts of SELinux end with a zero.
    let text = String::from_utf8_lossy(&bytes);
    Some(text.trim_matches(['\0', '\n', ' ']).to_owned())
}

fn number(root: &Path, path: &str) -> Option<i64> {
    text(root, path)?.parse().ok()
}

#[cfg(test)]
pub(crate) mod tests;
