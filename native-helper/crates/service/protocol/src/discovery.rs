//! Which BEAMs are here (`extrospect/list`) and what sampling them needs (`extrospect/doctor`).

use serde::{Deserialize, Serialize};

use crate::error::ErrorData;
use crate::explanation::{ActionableMessages, Explanation};

/// Result of `extrospect/list`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct ListResult {
    /// One row for each BEAM, by pid.
    pub beams: Vec<BeamRow>,
}

/// One BEAM on this machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct BeamRow {
    /// Process id, as the helper sees it.
    pub pid: u32,
    /// OTP release (`25`); null when unknown.
    pub otp: Option<String>,
    /// Version of the runtime system (`13.1.5`); null when unknown.
    pub erts: Option<String>,
    /// `jit` or `emu`; null when unknown.
    pub flavor: Option<String>,
    /// Node name; null when the VM is not distributed or when unknown.
    pub node: Option<String>,
    /// Whether `extrospect/attach` would work.
    pub attachable: bool,
    /// Why not and what to do about it; null when attachable.
    pub reason: Option<String>,
    /// The same in parts, with codes and the command; absent when attachable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub refusal: Option<ErrorData>,
    /// The command line, shortened.
    pub command: String,
    /// Normal schedulers; null when unknown.
    pub schedulers: Option<u32>,
    /// How many of these are online; absent when that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub schedulers_online: Option<u32>,
    /// Container or namespace, as people read it; null when it is the helper's own.
    pub container: Option<String>,
    /// The known facts of the container; absent when nothing shows that it is in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub container_facts: Option<ContainerFacts>,
    /// Its process id in its own pid namespace; absent when that is the helper's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub pid_inside: Option<u32>,
    /// The working directory, as its own mount namespace has it; absent when the caller may not read it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub working_directory: Option<String>,
    /// Whose process it is.
    pub uid: u32,
    /// The name of that user on the helper's machine; absent when the list of users there has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub user: Option<String>,
    /// CPU time it used just now, percent of one core; null when unknown.
    pub cpu_pct: Option<f64>,
    /// The programs that it runs below its ports; absent when that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub port_programs: Option<PortProgramsUse>,
    /// Why nothing of it runs and what resumes it; absent when it runs, and with `standstillUnknown`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub standstill: Option<Explanation>,
    /// Why it is not known whether anything of it runs; absent where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub standstill_unknown: Option<Explanation>,
}

/// What the programs below the ports of a VM use, and all that these have started.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct PortProgramsUse {
    /// Processes that run.
    pub processes: u64,
    /// Processor time of all since the VM began, milliseconds; at least.
    pub cpu_ms: u64,
    /// Resident memory of those that run, bytes; shared memory counts in each.
    pub rss_bytes: u64,
}

/// A container, by its control group and by the files of its runtime that the caller may read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ContainerFacts {
    /// `docker`, `podman`, `containerd`, `cri-o`, `systemd-nspawn`, `lxc`; `kubernetes` when it is one
    /// of a pod and nothing else is known; `container` when only its id is known.
    pub runtime: String,
    /// Its whole id; absent where the runtime has names alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub id: Option<String>,
    /// Its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub name: Option<String>,
    /// The image it was made of, as it was requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub image: Option<String>,
    /// Its pod in Kubernetes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub pod: Option<String>,
    /// The pod's namespace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub namespace: Option<String>,
    /// The pod's uid, which the control group has where the pod's name cannot be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub pod_uid: Option<String>,
    /// The container around it, as people read it, where it is in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub within: Option<String>,
}

/// Parameters of `extrospect/doctor`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct DoctorParams {
    /// Check this process too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub pid: Option<u32>,
}

/// Result of `extrospect/doctor`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct DoctorResult {
    /// One row for each check, in the order of fixing them.
    pub rows: Vec<DoctorRow>,
}

/// One check.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct DoctorRow {
    /// The subject of the check.
    pub check: String,
    /// How it came out.
    pub status: DoctorStatus,
    /// The state found.
    pub found: String,
    /// The required state.
    pub needed: String,
    /// The fix, mostly a command; null when there is nothing to fix.
    pub fix: Option<String>,
    /// The same for editors, and the command that fixes it.
    #[serde(flatten)]
    pub actionable: ActionableMessages,
}

/// How a check came out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum DoctorStatus {
    /// As it should be.
    #[default]
    Ok,
    /// Works, with less.
    Warn,
    /// Does not work.
    Fail,
}
