//! The processes of an attached VM.

use target_memory::TargetMemory;
use vm_layout::TableError;
use vm_layout::process_details::details_for;
use vm_processes::{Page, ProcessReader};
use vm_tables::pids::PidFormat;

use crate::error::AttachError;
use crate::vm::AttachedVm;

const TABLE: &str = "processes";

impl<M: TargetMemory> AttachedVm<M> {
    /// A page of its processes: up to `limit` from a place in the process table on.
    ///
    /// # Errors
    /// It is not known where this VM's processes have their fields, they cannot be read, or the process is
    /// not the one that was attached to any more.
    pub fn processes(&mut self, first: u64, limit: usize) -> Result<Page, AttachError> {
        self.look(|vm| vm.process_reader()?.page(first, limit))
    }

    /// How it makes pids.
    ///
    /// # Errors
    /// Its own processes do not say.
    pub fn pid_format(&self) -> Result<PidFormat, TableError> {
        let unknown =
            || TableError::malformed(TABLE, "it is not known how it makes pids".to_owned());
        self.pids.ok_or_else(unknown)
    }

    /// What reading its processes takes.
    ///
    /// # Errors
    /// It is not known where this VM's processes have their fields.
    pub(crate) fn process_reader(&mut self) -> Result<ProcessReader<'_, M>, TableError> {
        let layout = self.layout.process;
        let unknown = || {
            TableError::malformed(
                TABLE,
                "where they keep their mailbox and old heap is not known for this VM".to_owned(),
            )
        };
        Ok(ProcessReader {
            memory: &self.memory,
            table: self.process_table,
            layout,
            details: details_for(&layout).ok_or_else(unknown)?,
            pids: self.pid_format()?,
            atoms: &mut self.atoms,
        })
    }
}
