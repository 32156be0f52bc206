//! The program that watches over a container, among the ancestors of a process in it.
//!
//! Used when the control group names no container: a container without root on a machine with
//! groups of version 1 is in the group of the process that started it.

use super::component::{is_container_id, is_containerd_name};
use super::{ContainerPlace, Containers, Runtime};
use crate::proc_fs::ProcFs;

/// The search ends so far above the first process of a container.
const MAX_ANCESTORS: usize = 32;

/// As the kernel cuts the names of programs.
const PODMANS_MONITOR: &str = "conmon";
const CONTAINERDS_MONITOR: &str = "containerd-shim";

/// The container that a monitor with that name and those arguments watches over.
#[must_use]
pub fn parse_monitor(name: &str, arguments: &[String]) -> Option<ContainerPlace> {
    let after = |flag: &str| {
        let at = arguments.iter().position(|argument| argument == flag)?;
        arguments.get(at + 1).map(String::as_str)
    };
    match name {
        PODMANS_MONITOR => {
            // CRI-O has the same monitor, and always a group for each container.
            let program = after("--exit-command")?.rsplit('/').next()?;
            let id = after("-c").filter(|id| is_container_id(id))?;
            (program == "podman").then(|| ContainerPlace {
                id: Some(id.to_owned()),
                name: after("-n").map(|name| name.chars().take(128).collect()),
                ..ContainerPlace::of(Runtime::Podman)
            })
        }
        CONTAINERDS_MONITOR => {
            let (namespace, id) = (after("-namespace")?, after("-id")?);
            let place = |runtime| ContainerPlace {
                id: Some(id.to_owned()),
                ..ContainerPlace::of(runtime)
            };
            match namespace {
                "moby" if is_container_id(id) => Some(place(Runtime::Docker)),
                // One watches over all containers of a pod: the id is the pod's.
                "moby" | "k8s.io" => None,
                _ if is_containerd_name(namespace) && is_containerd_name(id) => {
                    Some(ContainerPlace {
                        containerd_namespace: Some(namespace.to_owned()),
                        ..place(Runtime::Containerd)
                    })
                }
                _ => None,
            }
        }
        _ => None,
    }
}

impl ProcFs {
    /// The container that a process is in, by the monitor among its ancestors. It reads the arguments of an
    /// ancestor, which lie in that one's memory. Never fails: it is a hint, and one that each user can give
    /// of processes of their own.
    #[must_use]
    pub fn containers_by_monitor(&self, pid: u32) -> Option<Containers> {
        let mut status = self.status(pid).ok()?;
        for _ in 0..MAX_ANCESTORS {
            let pid = status.parent_pid;
            status = (pid != 0).then(|| self.status(pid).ok()).flatten()?;
            if !matches!(status.name.as_str(), PODMANS_MONITOR | CONTAINERDS_MONITOR) {
                continue;
            }
            // Under another's user id, any user may have given it its arguments.
            let ids = status.uids;
            if ids.real != ids.effective || ids.real != ids.saved {
                return None;
            }
            let place = parse_monitor(&status.name, &self.command_line(pid).ok()?)?;
            return Some(Containers {
                nested: vec![place],
                user: (ids.real != 0).then_some(ids.real),
            });
        }
        None
    }
}
