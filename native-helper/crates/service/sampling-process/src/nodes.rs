//! The nodes that a VM knows, as the protocol reports them.

use protocol::nodes::{KnownNode, NodeState, NodesResult};
use vm_tables::nodes::{KnownNodes, NodeState as StateInTable};

pub(crate) fn nodes_result(known: KnownNodes) -> NodesResult {
    let nodes = known.others.into_iter().map(|node| KnownNode {
        name: node.name,
        state: state_told(node.state),
    });
    NodesResult {
        name: known.own,
        nodes: nodes.collect(),
    }
}

pub(crate) fn state_told(state: StateInTable) -> NodeState {
    match state {
        StateInTable::Visible => NodeState::Visible,
        StateInTable::Hidden => NodeState::Hidden,
        StateInTable::Pending => NodeState::Pending,
        StateInTable::NotConnected => NodeState::NotConnected,
    }
}
