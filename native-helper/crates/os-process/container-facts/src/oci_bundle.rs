//! containerd and CRI-O: `config.json` of the OCI bundle they hand to runc, whose annotations
//! contain the name that Kubernetes or nerdctl gives the container.

use std::path::Path;

use serde::Deserialize;
use target_proc::container::{is_container_id, is_containerd_name};

use crate::StateFacts;
use crate::label::one_line;
use crate::state_file::HostDisk;

/// containerd's own state folder, that of k3s and RKE2, and that of MicroK8s.
const CONTAINERD_ROOTS: [&str; 3] = [
    "/run/containerd",
    "/run/k3s/containerd",
    "/var/snap/microk8s/common/run/containerd",
];
const CONTAINERD_TASKS: &str = "io.containerd.runtime.v2.task";

const CRI_O_ROOTS: [&str; 2] = ["/run/containers/storage", "/var/lib/containers/storage"];

#[derive(Deserialize)]
struct Bundle {
    annotations: Option<Annotations>,
}

#[derive(Default, Deserialize)]
struct Annotations {
    // containerd 1.5 to 2.1, by its CRI plugin.
    #[serde(rename = "io.kubernetes.cri.container-name")]
    cri_container: Option<String>,
    #[serde(rename = "io.kubernetes.cri.sandbox-name")]
    cri_pod: Option<String>,
    #[serde(rename = "io.kubernetes.cri.sandbox-namespace")]
    cri_namespace: Option<String>,
    #[serde(rename = "io.kubernetes.cri.image-name")]
    cri_image: Option<String>,
    // CRI-O 1.20 to 1.33; the first three are Kubernetes' own labels.
    #[serde(rename = "io.kubernetes.container.name")]
    kubernetes_container: Option<String>,
    #[serde(rename = "io.kubernetes.pod.name")]
    kubernetes_pod: Option<String>,
    #[serde(rename = "io.kubernetes.pod.namespace")]
    kubernetes_namespace: Option<String>,
    #[serde(rename = "io.kubernetes.cri-o.ImageName")]
    cri_o_image: Option<String>,
    // nerdctl 0.12 to 2.1, which does not record the image.
    #[serde(rename = "nerdctl/name")]
    nerdctl_name: Option<String>,
}

/// A container of containerd, in the first of the namespaces that has it.
pub(crate) fn read_containerd(
    disk: &HostDisk,
    namespaces: &[&str],
    id: &str,
) -> Option<StateFacts> {
    if !is_containerd_name(id) {
        return None;
    }
    CONTAINERD_ROOTS.iter().find_map(|root| {
        let folder = disk.folder(&Path::new(root).join(CONTAINERD_TASKS))?;
        namespaces
            .iter()
            .filter(|namespace| is_containerd_name(namespace))
            .find_map(|namespace| folder.json(&format!("{namespace}/{id}/config.json")))
            .map(facts_of)
    })
}

/// A container of CRI-O.
pub(crate) fn read_cri_o(disk: &HostDisk, id: &str) -> Option<StateFacts> {
    if !is_container_id(id) {
        return None;
    }
    let inside = format!("overlay-containers/{id}/userdata/config.json");
    CRI_O_ROOTS
        .iter()
        .find_map(|root| disk.folder(Path::new(root))?.json(&inside))
        .map(facts_of)
}

fn facts_of(bundle: Bundle) -> StateFacts {
    let annotations = bundle.annotations.unwrap_or_default();
    let text = |text: Option<String>| text.as_deref().and_then(one_line);
    StateFacts {
        name: text(
            annotations
                .cri_container
                .or(annotations.kubernetes_container)
                .or(annotations.nerdctl_name),
        ),
        image: text(annotations.cri_image.or(annotations.cri_o_image)),
        pod: text(annotations.cri_pod.or(annotations.kubernetes_pod)),
        namespace: text(
            annotations
                .cri_namespace
                .or(annotations.kubernetes_namespace),
        ),
    }
}
