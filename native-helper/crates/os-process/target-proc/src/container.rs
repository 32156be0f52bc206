//! Whether a process lives in other namespaces than this program, and which container its control
//! group names.

mod cgroup;
mod component;
mod monitor;
#[cfg(test)]
mod tests;

use crate::proc_fs::ProcFs;
use crate::status::Status;

pub use cgroup::parse_cgroup;
pub use component::{is_container_id, is_containerd_name};
pub use monitor::parse_monitor;

/// The known surroundings of a process. `None` where the kernel does not permit the reading.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ContainerHint {
    /// Its file names are not those of this process.
    pub other_mount_namespace: Option<bool>,
    /// Its process ids are not those of this process.
    pub other_pid_namespace: Option<bool>,
    /// The containers that its control group names.
    pub containers: Option<Containers>,
}

/// The containers that a process is in; never none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Containers {
    /// The outermost first; more than one with containers in containers.
    pub nested: Vec<ContainerPlace>,
    /// The user whose part of the tree the outermost is in: a container without root.
    pub user: Option<u32>,
}

impl Containers {
    /// The one that the process itself is in.
    #[must_use]
    pub fn innermost(&self) -> Option<&ContainerPlace> {
        self.nested.last()
    }
}

/// The facts in a control group about one container.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContainerPlace {
    /// The runtime that runs it.
    pub runtime: Runtime,
    /// Its whole id: 64 hexadecimal digits, or any that containerd accepts.
    pub id: Option<String>,
    /// Its name, where the runtime names groups by names. The user chose it.
    pub name: Option<String>,
    /// The uid of its pod.
    pub pod_uid: Option<String>,
    /// The namespace of containerd that it may be in.
    pub containerd_namespace: Option<String>,
}

impl ContainerPlace {
    /// One of which nothing else is known.
    #[must_use]
    pub fn of(runtime: Runtime) -> Self {
        Self {
            runtime,
            id: None,
            name: None,
            pod_uid: None,
            containerd_namespace: None,
        }
    }
}

/// The runtime of a container.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Runtime {
    /// Docker.
    Docker,
    /// Podman.
    Podman,
    /// containerd, by itself or for Kubernetes.
    Containerd,
    /// CRI-O.
    CriO,
    /// systemd-nspawn, or another machine that is registered with systemd.
    Nspawn,
    /// LXC.
    Lxc,
    /// Kubernetes, by a runtime that the path does not show.
    Kubernetes,
    /// It has a container's id, of an unknown runtime.
    Unknown,
}

impl Runtime {
    /// The name shown to users.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Docker => "docker",
            Self::Podman => "podman",
            Self::Containerd => "containerd",
            Self::CriO => "cri-o",
            Self::Nspawn => "systemd-nspawn",
            Self::Lxc => "lxc",
            Self::Kubernetes => "kubernetes",
            Self::Unknown => "container",
        }
    }
}

const MAX_CGROUP_BYTES: u64 = 64 << 10;

impl ProcFs {
    /// The known surroundings of a process. Never fails: they are a hint.
    #[must_use]
    pub fn container_hint(&self, pid: u32, status: &Status) -> ContainerHint {
        let own_pid = std::process::id();
        let differs = |kind: &str| {
            let theirs = self.link(pid, kind).ok()?;
            Some(theirs != self.link(own_pid, kind).ok()?)
        };
        let nested = status.namespace_pids.len() > 1;
        ContainerHint {
            other_mount_namespace: differs("ns/mnt"),
            other_pid_namespace: differs("ns/pid").or(nested.then_some(true)),
            containers: self
                .read(pid, "cgroup", MAX_CGROUP_BYTES)
                .ok()
                .and_then(|text| parse_cgroup(&text)),
        }
    }
}
