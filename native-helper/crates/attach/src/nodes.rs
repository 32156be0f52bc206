//! The nodes that an attached VM knows.

use retry::{AfterFailure, GaveUp, Retry};
use target_memory::TargetMemory;
use vm_anchors::Finder;
use vm_layout::TableError;
use vm_tables::nodes::{KnownNodes, known_nodes};

use crate::error::AttachError;
use crate::vm::AttachedVm;

/// Pauses between looks at a table that is just being changed.
const WHILE_NODES_COME_AND_GO: Retry = Retry::after_pauses_ms(&[1, 3, 7, 15, 30, 60]);

impl<M: TargetMemory> AttachedVm<M> {
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
        // Each time with what the VM's variables say by then.
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
