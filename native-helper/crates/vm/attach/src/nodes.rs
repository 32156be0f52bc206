//! The nodes that an attached VM knows.

use retry::{AfterFailure, GaveUp, Retry};
use target_memory::TargetMemory;
use vm_anchors::Finder;
use vm_layout::TableError;
use vm_tables::nodes::{KnownNodes, SendQueue, known_nodes, suspended_processes};

use crate::error::AttachError;
use crate::vm::AttachedVm;

/// Pauses between readings of a table that is just being changed.
const WHILE_NODES_COME_AND_GO: Retry = Retry::after_pauses_ms(&[1, 3, 7, 15, 30, 60]);

/// A connection that keeps processes from sending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BusyConnection {
    /// `shop@host`.
    pub node: String,
    /// The data that wait to be sent there; `None` when they are not plausible.
    pub queue: Option<SendQueue>,
    /// Pid terms of those that it has suspended, at most 20,000.
    pub suspended: Vec<u64>,
}

impl<M: TargetMemory> AttachedVm<M> {
    /// The connections that keep processes from sending, with those processes.
    ///
    /// # Errors
    /// As for [`Self::known_nodes`].
    pub fn busy_connections(&mut self) -> Result<Vec<BusyConnection>, AttachError> {
        self.look(|vm| {
            let nodes = vm.read_nodes()?.others.into_iter();
            let busy = nodes.map(|node| BusyConnection {
                suspended: suspended_processes(&vm.memory, &node),
                queue: node.queue,
                node: node.name,
            });
            Ok(busy.filter(|busy| !busy.suspended.is_empty()).collect())
        })
    }

    /// The nodes it knows now, connected or not.
    ///
    /// # Errors
    /// Their table cannot be found or read, or the process is not the one that was attached to any more.
    pub fn known_nodes(&mut self) -> Result<KnownNodes, AttachError> {
        self.look(Self::read_nodes)
    }

    pub(crate) fn read_nodes(&mut self) -> Result<KnownNodes, TableError> {
        let symbols = |name: &str| self.objects.emulator_symbol(name);
        let ranges = self.objects.emulator_ranges();
        let atoms = &mut self.atoms;
        // Each time with the current values of the VM's variables.
        let look = || {
            let finder = Finder::new(&self.memory, &symbols, &ranges);
            let table = finder.nodes()?.address;
            known_nodes(&self.memory, table, atoms, |idle| finder.own_node(idle))
        };
        let may_pass = |error: &TableError| AfterFailure::again_if(!error.target_gone());
        WHILE_NODES_COME_AND_GO
            .run(look, may_pass)
            .map_err(GaveUp::into_error)
    }
}
