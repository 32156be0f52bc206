//! Guards that a kernel may have beside its settings.

use std::path::Path;

use super::text;

/// The user namespace that the machine has from its start has this number in every kernel.
const MACHINES_OWN: &str = "user:[4026531837]";
/// Longer labels are cut: profiles may be called anything.
const MAX_LABEL_CHARS: usize = 100;

/// The actions that the kernel denies even to root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lockdown {
    /// Nothing.
    Off,
    /// Changes to the kernel.
    Integrity,
    /// Reading the kernel's memory, too.
    Confidentiality,
}

/// The user namespace of this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UserNamespace {
    /// That of the machine, or the kernel does not show it.
    MachinesOwn,
    /// One below it.
    Another,
}

/// SELinux, when it is in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeLinux {
    /// Refuses, and does not only note.
    pub is_enforcing: bool,
    /// Our context.
    pub context: String,
}

impl SeLinux {
    /// Whether its rules do not confine this process: domains that distributions provide for that.
    pub fn leaves_us_alone(&self) -> bool {
        let domain = self.context.split(':').nth(2).unwrap_or_default();
        !self.is_enforcing
            || domain.starts_with("unconfined_")
            || ["spc_t", "kernel_t", "sysadm_t"].contains(&domain)
    }
}

/// AppArmor, when it is in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppArmor {
    /// The profile that confines this process, with its mode; `None` without one.
    pub profile: Option<String>,
}

/// `[none] integrity confidentiality`, with brackets around what holds.
pub fn lockdown(root: &Path) -> Option<Lockdown> {
    let levels = text(root, "sys/kernel/security/lockdown")?;
    let (_, rest) = levels.split_once('[')?;
    match rest.split_once(']')?.0 {
        "none" => Some(Lockdown::Off),
        "integrity" => Some(Lockdown::Integrity),
        // A level that is not known yet is no lower than the highest that is.
        _ => Some(Lockdown::Confidentiality),
    }
}

pub fn user_namespace(root: &Path) -> UserNamespace {
    match std::fs::read_link(root.join("proc/self/ns/user")) {
        Ok(number) if number.as_os_str() != MACHINES_OWN => UserNamespace::Another,
        _ => UserNamespace::MachinesOwn,
    }
}

pub fn selinux(root: &Path) -> Option<SeLinux> {
    let enforce = text(root, "sys/fs/selinux/enforce")?;
    let context = text(root, "proc/self/attr/current").unwrap_or_default();
    Some(SeLinux {
        is_enforcing: enforce == "1",
        context: shown(&context),
    })
}

pub fn apparmor(root: &Path) -> Option<AppArmor> {
    let enabled = text(root, "sys/module/apparmor/parameters/enabled")?;
    (enabled == "Y").then_some(())?;
    // Older kernels have the label of whichever guard is the main one in the second file.
    let label = text(root, "proc/self/attr/apparmor/current")
        .or_else(|| text(root, "proc/self/attr/current"))
        .unwrap_or_default();
    let is_free = ["", "unconfined"].contains(&label.as_str());
    Some(AppArmor {
        profile: (!is_free).then(|| shown(&label)),
    })
}

fn shown(label: &str) -> String {
    let is_plain = |c: &char| c.is_ascii_graphic() || *c == ' ';
    label
        .chars()
        .filter(is_plain)
        .take(MAX_LABEL_CHARS)
        .collect()
}
