//! The processes of an attached VM.

use target_memory::TargetMemory;
use vm_layout::TableError;
use vm_layout::process_details::details_for;
use vm_processes::{Entry, EntryPage, Page, ProcessFacts, ProcessReader};
use vm_tables::pids::PidFormat;

use crate::error::AttachError;
use crate::vm::AttachedVm;

const TABLE: &str = "processes";

/// The result of reading the list of loaded code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodeLook {
    /// It has not changed.
    Same,
    /// Code was loaded or purged, and is known.
    Changed,
    /// It changed while it was read: known facts about code may not hold.
    Unclear,
}

impl<M: TargetMemory> AttachedVm<M> {
    /// A page of its processes: up to `limit` from a place in the process table on.
    ///
    /// # Errors
    /// It is not known where this VM's processes have their fields, they cannot be read, or the process is
    /// not the one that was attached to any more.
    pub fn processes(&mut self, first: u64, limit: usize) -> Result<Page, AttachError> {
        self.look_with_pauses(|vm| vm.process_reader()?.page(first, limit))
    }

    /// The structs of a page, and the data that the wanted ones point at; both in the order of the
    /// table.
    ///
    /// # Errors
    /// As for [`Self::processes`].
    pub fn processes_of_interest(
        &mut self,
        first: u64,
        limit: usize,
        is_wanted: impl FnMut(&&Entry) -> bool,
    ) -> Result<(EntryPage, Vec<ProcessFacts>), AttachError> {
        self.look_with_pauses(|vm| {
            let mut reader = vm.process_reader()?;
            let page = reader.entry_page(first, limit)?;
            let wanted = page.entries.iter().filter(is_wanted).copied().collect();
            let facts = reader.facts_of(wanted);
            Ok((page, facts))
        })
    }

    /// The structs of a page, for callers that read repeatedly and have raised their rights
    /// already.
    ///
    /// # Errors
    /// It is not known where this VM's processes have their fields, or they cannot be read.
    pub fn entry_page(&mut self, first: u64, limit: usize) -> Result<EntryPage, TableError> {
        self.process_reader()?.entry_page(first, limit)
    }

    /// The name of the process whose struct is there: registered name, else label, else initial call.
    ///
    /// # Errors
    /// As for [`Self::processes`].
    pub fn name_of_process(&mut self, address: u64) -> Result<Option<String>, AttachError> {
        self.look(|vm| {
            let mut reader = vm.process_reader()?;
            let Some(entry) = reader.entry_at(address) else {
                return Ok(None);
            };
            let facts = reader.facts_of(vec![entry]).into_iter().next();
            let name = facts.map(|it| it.name.or(it.label).or(it.initial_call));
            Ok(name.flatten())
        })
    }

    /// The pid of the process whose struct is there.
    ///
    /// # Errors
    /// As for [`Self::processes`].
    pub fn pid_of_process(&mut self, address: u64) -> Result<Option<String>, AttachError> {
        self.look(|vm| {
            let (entry, pids) = (vm.process_reader()?.entry_at(address), vm.pid_format()?);
            Ok(entry.map(|entry| pids.text(entry.id)))
        })
    }

    /// Bytes of a process whose struct was read, see [`Entry::memory_bytes`]; 0 where its fields are not known.
    pub fn process_bytes(&self, entry: &Entry, outside_bytes: u64) -> u64 {
        let layout = &self.layout.process;
        details_for(layout).map_or(0, |details| {
            entry.memory_bytes(layout, details, outside_bytes)
        })
    }

    /// Checks whether code was loaded since the last reading, and reads it then.
    ///
    /// # Errors
    /// It cannot be read, or the process is not the one that was attached to any more.
    pub fn refresh_code(&mut self) -> Result<bool, AttachError> {
        // Past code is not needed, so all readings may have the same time.
        self.look(|vm| vm.code.refresh(&vm.memory, &|| 0))
    }

    /// The same for callers that can do without it: of a VM that loads code all the time.
    ///
    /// # Errors
    /// Memory cannot be read, or the process is not the one that was attached to any more.
    pub fn look_at_code(&mut self) -> Result<CodeLook, AttachError> {
        match self.refresh_code() {
            Ok(false) => Ok(CodeLook::Same),
            Ok(true) => Ok(CodeLook::Changed),
            Err(AttachError::Unsupported(
                TableError::Malformed { .. } | TableError::Unstable { .. },
            )) => Ok(CodeLook::Unclear),
            Err(error) => Err(error),
        }
    }

    /// How it makes pids.
    ///
    /// # Errors
    /// Its own processes do not show that.
    pub fn pid_format(&self) -> Result<PidFormat, TableError> {
        let unknown =
            || TableError::malformed(TABLE, "it is not known how it makes pids".to_owned());
        self.pids.ok_or_else(unknown)
    }

    /// The reader of its processes.
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
