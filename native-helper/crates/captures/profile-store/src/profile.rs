//! The data to send: a profile of some seconds, with its service, labels and period.

use std::collections::BTreeMap;

use capture::facts::TargetFacts;
use capture::reader::Capture;
use serde::{Deserialize, Serialize};

const NS_PER_S: u64 = 1_000_000_000;
/// Longer values are cut: labels are made for few and short ones.
const MAX_LABEL_CHARS: usize = 200;

/// What a profile is of, and when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    /// The profiled service; one name for all nodes of a cluster.
    pub service: String,
    /// `node`, `host`, `otp`, `commit`, and the labels that the user adds.
    pub labels: BTreeMap<String, String>,
    /// Start, seconds since 1970.
    pub from_s: u64,
    /// End, seconds since 1970.
    pub until_s: u64,
}

/// A profile with its description.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outgoing {
    /// The description.
    pub about: About,
    /// A pprof profile, gzipped.
    pub pprof: Vec<u8>,
}

/// The service and labels of a target. `added` counts where both have a value.
pub fn service_and_labels(
    target: &TargetFacts,
    service: Option<&str>,
    added: &BTreeMap<String, String>,
) -> (String, BTreeMap<String, String>) {
    let of_node = target.node.split('@').next().unwrap_or_default();
    let service = match (service, of_node) {
        (Some(name), _) => name,
        (None, "" | "nonode") => "erlang",
        (None, name) => name,
    };
    let mut labels = BTreeMap::new();
    for (name, value) in [
        ("node", &target.node),
        ("host", &target.host),
        ("otp", &target.otp_release),
    ] {
        if !value.is_empty() {
            labels.insert(name.to_owned(), value.clone());
        }
    }
    labels.extend(added.clone());
    for value in labels.values_mut() {
        *value = value.chars().take(MAX_LABEL_CHARS).collect();
    }
    (service.to_owned(), labels)
}

/// When a capture was taken, seconds since 1970: start and end, at least a second apart. A capture
/// without that time is taken to end at `now_s`.
pub fn times(capture: &Capture, now_s: u64) -> (u64, u64) {
    let length_s = capture.duration_ns().div_ceil(NS_PER_S).max(1);
    match capture.started_unix_ns() / NS_PER_S {
        0 => (now_s.saturating_sub(length_s), now_s),
        from_s => (from_s, from_s.saturating_add(length_s)),
    }
}
