//! The name and contents of a container.
//!
//! The control group of a process names runtime and id (`target_proc::container`). Names, images, pods and namespaces
//! are in the files that the runtimes keep of their containers; no daemon is queried and nothing is started. They are
//! opened with the rights of the caller, so that a caller who may not read them gets the id alone, which is no error.
//!
//! Every user who may make control groups may give them any name: each user with a systemd of their
//! own, and programs in a container. So of containers in containers only the outermost is looked up,
//! and a container in a user's part of the tree is looked up in that user's files alone, which have
//! to be that user's own.

mod label;
mod oci_bundle;
mod state_file;

mod docker;
mod podman;
#[cfg(test)]
mod tests;

use protocol::discovery::ContainerFacts;
use target_proc::container::{ContainerPlace, Containers, Runtime};

pub use label::label;
pub use state_file::HostDisk;

/// The facts in the files of a runtime.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct StateFacts {
    name: Option<String>,
    image: Option<String>,
    pod: Option<String>,
    namespace: Option<String>,
}

/// The facts known of the innermost of `containers`: by the control group, and with a `disk` by the files of the
/// runtime on it. `None` when there is no container.
#[must_use]
pub fn container_facts(containers: &Containers, disk: Option<&HostDisk>) -> Option<ContainerFacts> {
    let (outermost, inner) = containers.nested.split_first()?;
    let state = disk.and_then(|disk| state_of(outermost, containers.user, disk));
    let outermost = facts_of(outermost, state);
    let within = |outside: ContainerFacts, place: &ContainerPlace| ContainerFacts {
        within: Some(label(&outside)),
        ..facts_of(place, None)
    };
    Some(inner.iter().fold(outermost, within))
}

fn facts_of(place: &ContainerPlace, state: Option<(Runtime, StateFacts)>) -> ContainerFacts {
    let (runtime, state) = state.unwrap_or((place.runtime, StateFacts::default()));
    let by_group = place.name.as_deref().and_then(label::one_line);
    ContainerFacts {
        runtime: runtime.name().to_owned(),
        id: place.id.clone(),
        name: state.name.or(by_group),
        image: state.image,
        pod: state.pod,
        namespace: state.namespace,
        pod_uid: place.pod_uid.clone(),
        within: None,
    }
}

/// The facts in the files of the runtime, and its name.
fn state_of(
    place: &ContainerPlace,
    user: Option<u32>,
    disk: &HostDisk,
) -> Option<(Runtime, StateFacts)> {
    let id = place.id.as_deref()?;
    let docker = || docker::read(disk, user, id).map(|facts| (Runtime::Docker, facts));
    let podman = || podman::read(disk, user, id).map(|facts| (Runtime::Podman, facts));
    let cri_o = || oci_bundle::read_cri_o(disk, id).map(|facts| (Runtime::CriO, facts));
    let containerd = |namespaces: &[&str]| {
        let facts = oci_bundle::read_containerd(disk, namespaces, id)?;
        Some((Runtime::Containerd, facts))
    };
    // Those two have no files of a user's own that could be found from outside of the user's namespaces.
    let is_systems = user.is_none();
    match place.runtime {
        Runtime::Docker => docker(),
        Runtime::Podman => podman(),
        Runtime::CriO if is_systems => cri_o(),
        Runtime::Containerd if is_systems => match place.containerd_namespace.as_deref() {
            Some(namespace) => containerd(&[namespace]),
            None => containerd(&["k8s.io", "default"]),
        },
        Runtime::Kubernetes if is_systems => containerd(&["k8s.io"]).or_else(cri_o).or_else(docker),
        Runtime::Unknown if is_systems => docker().or_else(|| {
            let namespace = place.containerd_namespace.as_deref()?;
            containerd(&[namespace])
        }),
        _ => None,
    }
}
