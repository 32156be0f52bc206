//! The nodes that a VM knows, as the protocol reports them.

use protocol::nodes::{KnownNode, NodeState, NodesResult};
use vm_tables::nodes::{KnownNodes, NodeState as StateInTable};

pub(crate) fn nodes_result(known: KnownNodes) -> NodesResult {
    let nodes = known.others.into_iter().map(|node| KnownNode {
        name: node.name,
        state: connection_state(node.state),
    });
    NodesResult {
        name: known.own,
        nodes: nodes.collect(),
    }
}

pub(crate) fn connection_state(state: StateInTable) -> NodeState {
    match state {
        StateInTable::Visible => NodeState::Visible,
        StateInTable::Hidden => NodeState::Hidden,
        StateInTable::Pending => NodeState::Pending,
        StateInTable::NotConnected => NodeState::NotConnected,
    }
}
