//! The nodes that a VM knows (`extrospect/nodes`).

use serde::{Deserialize, Serialize};

/// Parameters of `extrospect/nodes`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct NodesParams {
    /// The process.
    pub pid: u32,
}

/// Result of `extrospect/nodes`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct NodesResult {
    /// What the VM itself is called: `shop@host`; null when it is no node.
    pub name: Option<String>,
    /// The others, by name.
    pub nodes: Vec<KnownNode>,
}

/// Another node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct KnownNode {
    /// As it is called: `shop@host`.
    pub name: String,
    /// How it is connected.
    pub state: NodeState,
}

/// How a node is connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum NodeState {
    /// Connected, and visible to other nodes.
    Visible,
    /// Connected, and not announced to other nodes.
    Hidden,
    /// About to be.
    Pending,
    /// Not, or not any more.
    NotConnected,
}
