//! The BIF table: which C function is which Erlang function.
//!
//! `bif_table` is an array of 48-byte entries {module atom, name atom, i32 arity, function,
//! implementation, kind}; the emulator does not record its length.

use shared_map::HashMap;
use target_memory::{TargetMemory, element_at, u32_at, u64_at};

use crate::atoms::{AtomTable, quoted};
use vm_layout::TableError;

const ENTRY_BYTES: usize = 48;
const MAX_BIFS: usize = 1024;

/// C function address to Erlang name.
#[derive(Debug, Default)]
pub struct BifTable {
    names: HashMap<u64, Box<str>>,
    starts: HashMap<Box<str>, u64>,
}

impl BifTable {
    /// Reads the table at `address` until the first word that cannot be an entry. `is_code` returns
    /// whether an address lies in the emulator's code.
    pub fn read(
        memory: &impl TargetMemory,
        atoms: &mut AtomTable,
        address: u64,
        is_code: impl Fn(u64) -> bool,
    ) -> Result<Self, TableError> {
        atoms.read_builtin(memory);
        let mut names = HashMap::new();
        let mut starts = HashMap::new();
        'table: for first in (0..MAX_BIFS).step_by(64) {
            let mut chunk = vec![0; ENTRY_BYTES * 64];
            let entries = element_at(address, first as u64, ENTRY_BYTES as u64)?;
            memory.read(entries, &mut chunk)?;
            for entry in chunk.chunks_exact(ENTRY_BYTES) {
                let word = |offset| u64_at(entry, offset).unwrap_or(0);
                let arity = u32_at(entry, 16).unwrap_or(u32::MAX);
                let (call, implementation) = (word(24), word(32));
                if arity > 255 || !is_code(call) {
                    break 'table;
                }
                let Ok(module) = atoms.name(memory, word(0)).map(quoted) else {
                    break 'table;
                };
                let Ok(function) = atoms.name(memory, word(8)).map(quoted) else {
                    break 'table;
                };
                let name: Box<str> = format!("{module}:{function}/{arity}").into();
                if is_code(implementation) && implementation != call {
                    names.entry(implementation).or_insert_with(|| name.clone());
                }
                starts.entry(name.clone()).or_insert(call);
                names.entry(call).or_insert(name);
            }
        }
        if names.is_empty() {
            return Err(TableError::malformed("BIF table", "no entry"));
        }
        Ok(Self { names, starts })
    }

    /// `lists:reverse/2` for the address its C function starts at.
    pub fn name_of(&self, function_start: u64) -> Option<&str> {
        self.names.get(&function_start).map(|name| &**name)
    }

    /// Where the C function of `lists:reverse/2` starts.
    pub fn start_of(&self, name: &str) -> Option<u64> {
        self.starts.get(name).copied()
    }

    /// Number of C functions named.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// True when nothing is named.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }
}
