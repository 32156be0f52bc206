//! The meaning of one part of a control group's path: the runtime that named it, and its container.

use super::{ContainerPlace, Runtime};

/// Names that runtimes give to the group of a container, before a dash (or a colon) and its id.
const BEFORE_ID: [(&str, Runtime); 6] = [
    ("docker", Runtime::Docker),
    ("libpod", Runtime::Podman),
    ("libpod-payload", Runtime::Podman),
    ("cri-containerd", Runtime::Containerd),
    ("nerdctl", Runtime::Containerd),
    ("crio", Runtime::CriO),
];

/// Digits of the ids that Docker, Podman, CRI-O and Kubernetes give.
const ID_DIGITS: usize = 64;
/// Longest id and namespace that containerd takes.
const MAX_CONTAINERD_NAME_CHARS: usize = 76;
/// Longest accepted uid of a pod; those of API servers have 36 characters, of static pods 32.
const MAX_POD_UID_CHARS: usize = 64;
/// Longest name of a machine that is kept.
const MAX_MACHINE_NAME_CHARS: usize = 128;

/// Where a part of a path stands.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Surroundings<'a> {
    /// The part before it; empty at the top.
    pub parent: &'a str,
    /// Whether `parent` is the first part of the path.
    pub is_second: bool,
    /// Whether a part before it, in the same container, is of Kubernetes.
    pub is_kubernetes: bool,
    /// Whether the part before it, or one before that, is of a pod.
    pub is_in_pod: bool,
}

/// The container that a part of a path is the group of.
pub(super) fn container(part: &str, around: Surroundings<'_>) -> Option<ContainerPlace> {
    let bare = part.strip_suffix(".scope").unwrap_or(part);
    if is_container_id(bare) {
        return by_bare_id(bare, around);
    }
    if let Some((before, id)) = bare.rsplit_once(['-', ':'])
        && is_container_id(id)
    {
        let (_, runtime) = BEFORE_ID.iter().find(|(name, _)| *name == before)?;
        return Some(ContainerPlace {
            id: Some(id.to_owned()),
            ..ContainerPlace::of(*runtime)
        });
    }
    machine(part, around.parent).or_else(|| {
        // `ctr run IMAGE ID`: the user typed the id.
        let is_containerds = around.is_second && around.parent == "default";
        (is_containerds && is_containerd_name(part)).then(|| by_namespace(part, around.parent))
    })
}

/// An id alone: its place shows which runtime gave it, or nothing does.
fn by_bare_id(id: &str, around: Surroundings<'_>) -> Option<ContainerPlace> {
    let of = |runtime| ContainerPlace {
        id: Some(id.to_owned()),
        ..ContainerPlace::of(runtime)
    };
    Some(match around.parent {
        "docker" => of(Runtime::Docker),
        // A pod of Podman's, in which its containers are.
        "libpod_parent" => return None,
        _ if around.is_in_pod => of(Runtime::Kubernetes),
        "default" if around.is_second => by_namespace(id, around.parent),
        parent => ContainerPlace {
            // By default containerd's groups are `/NAMESPACE/ID`, but `docker run --cgroup-parent`
            // makes the same: the runtime's files decide.
            containerd_namespace: (around.is_second && is_containerd_name(parent))
                .then(|| parent.to_owned()),
            ..of(Runtime::Unknown)
        },
    })
}

fn by_namespace(id: &str, namespace: &str) -> ContainerPlace {
    ContainerPlace {
        id: Some(id.to_owned()),
        containerd_namespace: Some(namespace.to_owned()),
        ..ContainerPlace::of(Runtime::Containerd)
    }
}

/// LXC and systemd have names, not ids, in the path.
fn machine(part: &str, parent: &str) -> Option<ContainerPlace> {
    let named = |runtime, name: &str| {
        let name: String = name.chars().take(MAX_MACHINE_NAME_CHARS).collect();
        (!name.is_empty()).then(|| ContainerPlace {
            name: Some(name),
            ..ContainerPlace::of(runtime)
        })
    };
    if let Some(name) = part.strip_prefix("lxc.payload.") {
        return named(Runtime::Lxc, name);
    }
    if matches!(parent, "lxc" | "lxc.payload") {
        return named(Runtime::Lxc, part);
    }
    let unit = part
        .strip_prefix("systemd-nspawn@")
        .and_then(|rest| rest.strip_suffix(".service"));
    if let Some(name) = unit {
        return named(Runtime::Nspawn, &unescaped(name));
    }
    if parent != "machine.slice" {
        return None;
    }
    let name = unescaped(part.strip_prefix("machine-")?.strip_suffix(".scope")?);
    // libvirt registers its guests in the same place: `qemu-1-NAME`, `lxc-1-NAME`.
    let of_libvirt = |driver: &str| {
        let (number, name) = name.strip_prefix(driver)?.split_once('-')?;
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| name.to_owned())
    };
    if of_libvirt("qemu-").is_some() {
        return None;
    }
    match of_libvirt("lxc-") {
        Some(name) => named(Runtime::Lxc, &name),
        None => named(Runtime::Nspawn, &name),
    }
}

/// The uid of a pod: `podUID` as Kubernetes names folders itself, `kubepods-burstable-podUID.slice`
/// with `_` for `-` where systemd does it.
pub(super) fn pod_uid(part: &str, is_kubernetes: bool) -> Option<String> {
    let uid = match part.strip_suffix(".slice") {
        Some(slice) if slice.contains("kubepods") => slice.rsplit_once("-pod")?.1.replace('_', "-"),
        Some(_) => return None,
        None if is_kubernetes => part.strip_prefix("pod")?.to_owned(),
        None => return None,
    };
    let is_uid = (1..=MAX_POD_UID_CHARS).contains(&uid.len())
        && uid.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    is_uid.then_some(uid)
}

/// Whose part of the tree it is: `user-1000.slice`, `user@1000.service`.
pub(super) fn user(part: &str) -> Option<u32> {
    let between = |before, after| part.strip_prefix(before)?.strip_suffix(after);
    between("user-", ".slice")
        .or_else(|| between("user@", ".service"))?
        .parse()
        .ok()
}

/// 64 hexadecimal digits, and nothing else that could be part of a path.
#[must_use]
pub fn is_container_id(text: &str) -> bool {
    text.len() == ID_DIGITS && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Letters and digits, with one `.`, `_` or `-` between them: the form that containerd accepts for
/// ids and namespaces. Never `..`.
#[must_use]
pub fn is_containerd_name(text: &str) -> bool {
    (1..=MAX_CONTAINERD_NAME_CHARS).contains(&text.len())
        && text.split(['.', '_', '-']).all(|word| {
            !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric())
        })
        // Those are systemd's, not containerd's.
        && ![".slice", ".scope", ".service"]
            .iter()
            .any(|unit| text.ends_with(unit))
}

/// A name without the escapes of systemd: `\x2d` is a dash.
fn unescaped(name: &str) -> String {
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let escaped = after
            .strip_prefix(b"x")
            .and_then(|digits| str::from_utf8(digits.get(..2)?).ok())
            .filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match escaped {
            Some(byte) if first == b'\\' => {
                bytes.push(byte);
                rest = after.get(3..).unwrap_or_default();
            }
            _ => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
