//! Whether a process lives in other namespaces than we do, and which container runtime says so.

use crate::proc_fs::ProcFs;
use crate::status::Status;

/// What is known about the surroundings of a process. `None` where the kernel does not let us
/// look.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ContainerHint {
    /// Its file names are not ours.
    pub other_mount_namespace: Option<bool>,
    /// Its process ids are not ours.
    pub other_pid_namespace: Option<bool>,
    /// What its control group is called by a container runtime: `docker 0123456789ab`.
    pub runtime: Option<String>,
}

impl ContainerHint {
    /// Whether anything says that it is in a container.
    #[must_use]
    pub fn is_container(&self) -> bool {
        self.other_mount_namespace == Some(true)
            || self.other_pid_namespace == Some(true)
            || self.runtime.is_some()
    }
}

const MAX_CGROUP_BYTES: u64 = 64 << 10;

/// Container ids are shown with as many digits as the runtimes' own tools do.
const SHOWN_ID_DIGITS: usize = 12;

/// The container runtime and the start of the container's id, from the text of
/// `/proc/PID/cgroup` (`hierarchy:controllers:path` lines).
#[must_use]
pub fn parse_cgroup(text: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(text);
    text.lines().find_map(|line| {
        let path = line.splitn(3, ':').nth(2)?;
        let runtime = runtime_of(path)?;
        let id = path.rsplit('/').find_map(container_id);
        Some(id.map_or_else(|| runtime.to_owned(), |id| format!("{runtime} {id}")))
    })
}

fn runtime_of(path: &str) -> Option<&'static str> {
    // In the order in which one contains the other: Kubernetes runs containerd or CRI-O.
    [
        ("kubepods", "kubernetes"),
        ("libpod", "podman"),
        ("docker", "docker"),
        ("containerd", "containerd"),
        ("crio", "cri-o"),
        ("lxc", "lxc"),
        ("machine.slice", "systemd-nspawn"),
    ]
    .into_iter()
    .find_map(|(part, name)| path.contains(part).then_some(name))
}

/// `docker-0123...ef.scope` or `0123...ef`: 64 hexadecimal digits, of which the first are shown.
fn container_id(component: &str) -> Option<&str> {
    let component = component.strip_suffix(".scope").unwrap_or(component);
    let id = component
        .rsplit_once(['-', ':'])
        .map_or(component, |(_, id)| id);
    let is_id = id.len() == 64 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_id.then(|| id.get(..SHOWN_ID_DIGITS)).flatten()
}

impl ProcFs {
    /// What is known about the surroundings of a process. Never fails: it is a hint.
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
            runtime: self
                .read(pid, "cgroup", MAX_CGROUP_BYTES)
                .ok()
                .and_then(|text| parse_cgroup(&text)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn recognises_runtimes() {
        let id = "0123456789abcdef".repeat(4);
        let of = |path: String| parse_cgroup(format!("0::{path}\n").as_bytes());
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(
            of(format!("/system.slice/docker-{id}.scope")),
            some("docker 0123456789ab")
        );
        assert_eq!(of(format!("/docker/{id}")), some("docker 0123456789ab"));
        let pod = format!("/kubepods.slice/pod1.slice/cri-containerd-{id}.scope");
        assert_eq!(of(pod), some("kubernetes 0123456789ab"));
        assert_eq!(of("/lxc.payload.web".into()), some("lxc"));
        assert_eq!(of("/user.slice/user-0.slice".into()), None);
        assert_eq!(parse_cgroup(b"nonsense"), None);
    }

    #[test]
    fn we_are_in_our_own_namespaces() {
        let (fs, pid) = (ProcFs::live(), std::process::id());
        let hint = fs.container_hint(pid, &fs.status(pid).unwrap());
        assert_eq!(hint.other_mount_namespace, Some(false));
        assert_eq!(hint.other_pid_namespace, Some(false));
    }

    proptest! {
        #[test]
        fn garbage_never_panics(text in proptest::collection::vec(any::<u8>(), 0..256)) {
            let _ = parse_cgroup(&text);
        }

        #[test]
        fn odd_components_never_panic(text in "0::/docker/[-:.\\PC]{0,80}") {
            let _ = parse_cgroup(text.as_bytes());
        }
    }
}
