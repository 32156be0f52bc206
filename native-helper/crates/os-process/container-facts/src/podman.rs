//! Podman: the list of containers of its storage (containers/storage), which CRI-O uses as well.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use target_proc::container::is_container_id;

use crate::StateFacts;
use crate::label::one_line;
use crate::state_file::{HostDisk, StateFolder};

const DEFAULT_ROOT: &str = "/var/lib/containers/storage";
/// Where containers are kept that are not to outlive the machine's run (`transient_store`).
const RUN_ROOT: &str = "/run/containers/storage";
const USERS_ROOT: &str = ".local/share/containers/storage";

/// The list is beside the layers, in a folder with the name of the storage driver.
const DRIVERS: [&str; 4] = ["overlay", "vfs", "btrfs", "zfs"];
/// The second, since Podman 4.4, has those that were started with `--rm`.
const LISTS: [&str; 2] = ["containers.json", "volatile-containers.json"];

#[derive(Deserialize)]
struct Container {
    id: String,
    names: Option<Vec<String>>,
    /// JSON once more.
    metadata: Option<String>,
}

#[derive(Default, Deserialize)]
struct Metadata {
    #[serde(rename = "image-name")]
    image: Option<String>,
    name: Option<String>,
}

pub(crate) fn read(disk: &HostDisk, user: Option<u32>, id: &str) -> Option<StateFacts> {
    if !is_container_id(id) {
        return None;
    }
    if let Some(user) = user {
        return in_storage(&disk.home(user)?, &format!("{USERS_ROOT}/"), id);
    }
    moved_root(disk)
        .into_iter()
        .chain([DEFAULT_ROOT, RUN_ROOT].map(PathBuf::from))
        .find_map(|root| in_storage(&disk.folder(&root)?, "", id))
}

/// `graphroot = "PATH"` of root's own storage.conf. It is TOML, of which this one line is read.
fn moved_root(disk: &HostDisk) -> Option<PathBuf> {
    let text = disk
        .folder(Path::new("/etc/containers"))?
        .text("storage.conf")?;
    let text = String::from_utf8(text).ok()?;
    let path = text.lines().find_map(|line| {
        let value = line.trim().strip_prefix("graphroot")?.trim_start();
        let value = value.strip_prefix('=')?.trim_start();
        let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        Some(PathBuf::from(value.get(1..)?.split(quote).next()?))
    })?;
    path.is_absolute().then_some(path)
}

fn in_storage(folder: &StateFolder, before: &str, id: &str) -> Option<StateFacts> {
    DRIVERS
        .iter()
        .flat_map(|driver| LISTS.map(|list| format!("{before}{driver}-containers/{list}")))
        .find_map(|list| {
            let containers: Vec<Container> = folder.json(&list)?;
            let found = containers.into_iter().find(|one| one.id == id)?;
            Some(facts_of(found))
        })
}

fn facts_of(container: Container) -> StateFacts {
    let metadata: Metadata = container
        .metadata
        .and_then(|metadata| named_members::from_slice(metadata.as_bytes()).ok())
        .unwrap_or_default();
    let first = container.names.unwrap_or_default().into_iter().next();
    StateFacts {
        name: first.or(metadata.name).as_deref().and_then(one_line),
        image: metadata.image.as_deref().and_then(one_line),
        ..StateFacts::default()
    }
}
