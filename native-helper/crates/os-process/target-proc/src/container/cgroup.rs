//! The containers that a process is in, by the text of `/proc/PID/cgroup`.
//!
//! Any user who may make control groups may have chosen everything in it: a name there is a hint,
//! and never proof of whose files to read (see crate `container-facts`).

use super::component::{self, Surroundings};
use super::{ContainerPlace, Containers};

/// More lines, parts of a path or nested containers than any machine has.
const MAX_LINES: usize = 64;
const MAX_PARTS: usize = 64;
const MAX_NESTED: usize = 8;

/// The containers of a process, from the text of `/proc/PID/cgroup`: `hierarchy:controllers:path`
/// in each line, one line with version 2. `None` when no line names one.
///
/// Of several hierarchies the most detailed one counts: a runtime need not use them all. A reader in
/// a control group namespace receives paths from its own group on (`/`, `/../..`); such a path
/// without a container leaves the containers unknown.
#[must_use]
pub fn parse_cgroup(text: &[u8]) -> Option<Containers> {
    let text = String::from_utf8_lossy(text);
    let mut most: Option<Containers> = None;
    for line in text.lines().take(MAX_LINES) {
        let Some(path) = line.splitn(3, ':').nth(2) else {
            continue;
        };
        let found = containers_in(path);
        if found.nested.len() > most.as_ref().map_or(0, |most| most.nested.len()) {
            most = Some(found);
        }
    }
    most
}

fn containers_in(path: &str) -> Containers {
    // Version 2 adds this for a group that was removed under its last process.
    let path = path.strip_suffix(" (deleted)").unwrap_or(path);
    let mut found = Containers::default();
    let mut around = Surroundings::default();
    let mut pod = None;
    for (index, part) in parts(path).take(MAX_PARTS).enumerate() {
        around.is_second = index == 1;
        if let Some(uid) = component::pod_uid(part, around.is_kubernetes) {
            pod = Some(uid);
            around.is_in_pod = true;
        } else if let Some(place) = component::container(part, around) {
            found.nested.push(ContainerPlace {
                pod_uid: pod.take(),
                ..place
            });
            (around.is_kubernetes, around.is_in_pod) = (false, false);
        } else if found.nested.is_empty() {
            found.user = component::user(part).or(found.user);
        }
        around.is_kubernetes |= part.contains("kubepods");
        around.parent = part;
        if found.nested.len() >= MAX_NESTED {
            break;
        }
    }
    found
}

/// The parts of a path. A runtime that is configured to name groups for systemd, but makes them
/// itself, leaves `SLICE:PREFIX:ID` behind.
fn parts(path: &str) -> impl Iterator<Item = &str> {
    path.split('/')
        .flat_map(|part| match part.split_once(".slice:") {
            Some((slice, rest)) => {
                let slice = part.get(..slice.len() + ".slice".len()).unwrap_or(slice);
                [Some(slice), Some(rest)]
            }
            None => [Some(part), None],
        })
        .flatten()
        .filter(|part| !matches!(*part, "" | "." | ".."))
}
