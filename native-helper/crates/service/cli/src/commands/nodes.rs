//! `nodes`: the nodes that a VM knows.

use protocol::nodes::{KnownNode, NodeState};
use sampling_process::questions;
use serde::Serialize;

use crate::arguments::Nodes;
use crate::attaching::attach;
use crate::circumstances::Circumstances;
use crate::commands::print_json;
use crate::failure::Failure;
use crate::table::{Align, render};
use crate::terminal::{print_line, print_lines};

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct Printed {
    node: Option<String>,
    nodes: Vec<KnownNode>,
    circumstances: Circumstances,
}

/// Runs `nodes`.
pub fn run(arguments: &Nodes) -> Result<(), Failure> {
    let (mut sampler, _) = attach(arguments.pid)?;
    let result = sampler.ask(questions::Nodes {}, &|| false)?;
    let circumstances = Circumstances::of(&mut sampler);
    if arguments.json {
        return print_json(&Printed {
            node: result.name,
            nodes: result.nodes,
            circumstances,
        });
    }
    circumstances.print()?;
    let pid = arguments.pid;
    print_line(&match &result.name {
        Some(name) => format!("process {pid} is the node {name}"),
        None => format!("process {pid} is no node of a cluster"),
    })?;
    if result.nodes.is_empty() {
        return Ok(print_line("it knows no other node")?);
    }
    let cells = |node: &KnownNode| vec![node.name.clone(), state_text(node.state).to_owned()];
    let rows: Vec<Vec<String>> = result.nodes.iter().map(cells).collect();
    Ok(print_lines(render(
        &[("node", Align::Left), ("state", Align::Left)],
        &rows,
    ))?)
}

/// For people.
pub fn state_text(state: NodeState) -> &'static str {
    match state {
        NodeState::Visible => "connected",
        NodeState::Hidden => "connected, hidden",
        NodeState::Pending => "about to connect",
        NodeState::NotConnected => "not connected",
    }
}
