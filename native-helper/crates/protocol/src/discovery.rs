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
    /// OTP release (`25`); null when it cannot be told.
    pub otp: Option<String>,
    /// Version of the runtime system (`13.1.5`); null when it cannot be told.
    pub erts: Option<String>,
    /// `jit` or `emu`; null when it cannot be told.
    pub flavor: Option<String>,
    /// Node name; null when the VM is not distributed or it cannot be told.
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
    /// Normal schedulers; null when it cannot be told.
    pub schedulers: Option<u32>,
    /// Container or namespace, as people read it; null when it is the helper's own.
    pub container: Option<String>,
    /// What is known of the container; absent when nothing says that it is in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub container_facts: Option<ContainerFacts>,
    /// Its process id in its own pid namespace; absent when that is the helper's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub pid_inside: Option<u32>,
    /// Whose process it is.
    pub uid: u32,
    /// CPU time it used just now, percent of one core; null when it cannot be told.
    pub cpu_pct: Option<f64>,
    /// Why nothing of it runs and what resumes it; absent when it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub standstill: Option<Explanation>,
}

/// A container, by its control group and by the files of its runtime that the caller may read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ContainerFacts {
    /// `docker`, `podman`, `containerd`, `cri-o`, `systemd-nspawn`, `lxc`, `kubernetes` when it is one
    /// of a pod and no more is known, `container` when only its id is.
    pub runtime: String,
    /// Its whole id; absent where the runtime has names alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub id: Option<String>,
    /// What it is called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub name: Option<String>,
    /// The image it was made of, as it was asked for.
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
    /// One row for each check, in the order to mend them.
    pub rows: Vec<DoctorRow>,
}

/// One check.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct DoctorRow {
    /// What was checked.
    pub check: String,
    /// How it came out.
    pub status: DoctorStatus,
    /// What is there.
    pub found: String,
    /// What is needed.
    pub needed: String,
    /// What mends it, mostly a command; null when there is nothing to mend.
    pub fix: Option<String>,
    /// The same for editors, and the command that mends it.
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
