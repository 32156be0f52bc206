//! Ports at work, as stacks show them.

use target_memory::TargetMemory;
use vm_layout::ports::PORT;
use vm_tables::ports::PortFacts;
use vm_tables::processes::{MAX_PROCESS_BYTES, ProcessFields, process_name};

use crate::error::AttachError;
use crate::vm::AttachedVm;

/// The marker of a port of which nothing is known.
const NO_FACTS: &str = "[port]";

impl<M: TargetMemory> AttachedVm<M> {
    /// [`Self::port_marker`] of the port whose struct is there.
    ///
    /// # Errors
    /// The process is not the one that was attached to any more.
    pub fn port_marker_at(&mut self, address: u64) -> Result<String, AttachError> {
        self.look(|vm| {
            let bytes = vm
                .memory
                .read_vec(address, PORT.read_bytes, PORT.read_bytes);
            let port = bytes.ok().and_then(|bytes| PortFacts::from_bytes(&bytes));
            Ok(port.map_or_else(|| NO_FACTS.to_owned(), |port| vm.port_marker(port)))
        })
    }

    /// The marker of a port that a scheduler executes: `[port tcp_inet of shop]`, its driver and its owner. Without an
    /// owner that has ended since then.
    pub fn port_marker(&mut self, port: PortFacts) -> String {
        let driver = port.driver_name(&self.memory, &mut self.atoms);
        let owner = port.owner.and_then(|owner| self.name_of_pid(owner));
        let driver = driver.map_or_else(String::new, |driver| format!(" {driver}"));
        let owner = owner.map_or_else(String::new, |owner| format!(" of {owner}"));
        format!("[port{driver}{owner}]")
    }

    /// Registered name or initial call of the process with that pid, a term. `None` for one that has ended.
    fn name_of_pid(&mut self, pid: u64) -> Option<String> {
        let layout = self.layout.process;
        let slot = self.pids?.slot(pid);
        let address = self.process_table.occupant(&self.memory, slot).ok()??;
        let bytes = self
            .memory
            .read_vec(address, layout.read_bytes, MAX_PROCESS_BYTES)
            .ok()?;
        let fields = ProcessFields::from_bytes(&layout, &bytes)?;
        let process = (address, bytes.as_slice());
        (fields.id == pid)
            .then(|| process_name(&self.memory, &mut self.atoms, &layout, process))
            .flatten()
    }
}
