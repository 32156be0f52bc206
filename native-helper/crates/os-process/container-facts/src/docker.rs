//! Docker: `config.v2.json` of a container, since Docker 1.10.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use target_proc::container::is_container_id;

use crate::StateFacts;
use crate::label::one_line;
use crate::state_file::{HostDisk, StateFolder};

const DEFAULT_ROOTS: [&str; 2] = ["/var/lib/docker", "/var/snap/docker/common/var-lib-docker"];

#[derive(Deserialize)]
struct Container {
    #[serde(rename = "ID")]
    id: String,
    #[serde(rename = "Name")]
    name: Option<String>,
    #[serde(rename = "Config")]
    config: Option<Config>,
}

#[derive(Deserialize)]
struct Config {
    #[serde(rename = "Image")]
    image: Option<String>,
    #[serde(rename = "Labels")]
    labels: Option<Labels>,
}

/// Those that Kubernetes gives, by cri-dockerd.
#[derive(Default, Deserialize)]
struct Labels {
    #[serde(rename = "io.kubernetes.container.name")]
    container: Option<String>,
    #[serde(rename = "io.kubernetes.pod.name")]
    pod: Option<String>,
    #[serde(rename = "io.kubernetes.pod.namespace")]
    namespace: Option<String>,
}

#[derive(Deserialize)]
struct Daemon {
    #[serde(rename = "data-root")]
    data_root: Option<PathBuf>,
}

pub(crate) fn read(disk: &HostDisk, user: Option<u32>, id: &str) -> Option<StateFacts> {
    if !is_container_id(id) {
        return None;
    }
    let inside = format!("containers/{id}/config.v2.json");
    if let Some(user) = user {
        let home = disk.home(user)?;
        return in_file(&home, &format!(".local/share/docker/{inside}"), id);
    }
    let moved = disk
        .folder(Path::new("/etc/docker"))
        .and_then(|folder| folder.json::<Daemon>("daemon.json")?.data_root)
        .filter(|path| path.is_absolute());
    moved
        .into_iter()
        .chain(DEFAULT_ROOTS.map(PathBuf::from))
        .find_map(|root| in_file(&disk.folder(&root)?, &inside, id))
}

fn in_file(folder: &StateFolder, inside: &str, id: &str) -> Option<StateFacts> {
    let container: Container = folder.json(inside)?;
    if container.id != id {
        return None;
    }
    let (image, labels) = container
        .config
        .map_or((None, None), |config| (config.image, config.labels));
    let labels = labels.unwrap_or_default();
    let text = |text: Option<String>| text.as_deref().and_then(one_line);
    let own_name = container.name.as_deref().and_then(|name| {
        // As if it were a path: `/shop-1`.
        one_line(name.strip_prefix('/').unwrap_or(name))
    });
    Some(StateFacts {
        name: text(labels.container).or(own_name),
        image: text(image),
        pod: text(labels.pod),
        namespace: text(labels.namespace),
    })
}
