//! Atom names.
//!
//! `erts_atom_table` is an index table: limit at 112, entries at 116, segment table at 120; atom
//! `i` is `segment[i >> 10][i & 1023]`, a struct of 40 bytes with its index at 16, the length of
//! its UTF-8 name at 24 and the name at 32: a pointer to its bytes, or (OTP 29) a term, a bitstring
//! on a heap. An atom term is `index << 6 | 0xb`.

mod bitstring_names;

use std::collections::HashMap;

use target_memory::{Range, ReadError, TargetMemory, u16_at, u32_at, u64_at};

use vm_layout::AtomName;
use vm_layout::TableError;

use crate::fill::Fill;
use bitstring_names::{behind_bitstring, behind_bitstrings};
pub use erlang_names::quoted;

const ATOM_BYTES: usize = 40;
const ATOM_TAG: u64 = 0xb;
/// 255 characters of at most 4 bytes.
const MAX_NAME_BYTES: usize = 1020;
/// Atoms at the beginning of the table, where those of built-in functions are.
const MAX_BUILTIN_ATOMS: u32 = 2048;
/// The most atoms that a VM can be started with.
const MAX_ATOMS: u32 = 1 << 28;

/// Bytes of names that are kept; beyond this all are dropped and read again on request.
const MAX_REMEMBERED_BYTES: usize = 16 << 20;

/// The atom table, with the names read so far.
#[derive(Debug)]
pub struct AtomTable {
    address: u64,
    form: AtomName,
    names: HashMap<u32, Box<str>>,
    remembered_bytes: usize,
}

impl AtomTable {
    /// The table at `address` (symbol `erts_atom_table`), with names behind pointers.
    pub fn new(address: u64) -> Self {
        Self::with_names(address, AtomName::Pointer)
    }

    /// The table at `address`, with names of the given form.
    pub fn with_names(address: u64, form: AtomName) -> Self {
        Self {
            address,
            form,
            names: HashMap::new(),
            remembered_bytes: 0,
        }
    }

    /// How this table holds names, derived from the first atoms of every VM, `false` and `true`.
    pub fn detect_names(memory: &impl TargetMemory, address: u64) -> Option<AtomName> {
        [AtomName::Pointer, AtomName::Bitstring]
            .into_iter()
            .find(|form| {
                let table = Self::with_names(address, *form);
                let is = |index, name: &str| {
                    table
                        .read_name(memory, index)
                        .is_ok_and(|found| &*found == name)
                };
                is(0, "false") && is(1, "true")
            })
    }

    /// Where the table is.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// How it holds names.
    pub fn form(&self) -> AtomName {
        self.form
    }

    /// Index of an atom term; `None` when `term` is no atom.
    pub fn index_of_term(term: u64) -> Option<u32> {
        (term & 0x3f == ATOM_TAG)
            .then(|| u32::try_from(term >> 6).ok())
            .flatten()
    }

    /// Number of atoms.
    pub fn count(&self, memory: &impl TargetMemory) -> Result<u32, TableError> {
        Ok(self.fill(memory)?.count)
    }

    /// How many there are, and how many there may be.
    pub fn fill(&self, memory: &impl TargetMemory) -> Result<Fill, TableError> {
        let (limit, entries) = (
            memory.read_u32_at(self.address, 112)?,
            memory.read_u32_at(self.address, 116)?,
        );
        if entries == 0 || entries > limit || limit > MAX_ATOMS {
            return Err(TableError::malformed(
                "atom table",
                format!("{entries} of {limit} atoms"),
            ));
        }
        Ok(Fill {
            count: entries,
            limit,
        })
    }

    /// Name of the atom `term`, without quotes.
    pub fn name(&mut self, memory: &impl TargetMemory, term: u64) -> Result<&str, TableError> {
        let index = Self::index_of_term(term)
            .ok_or_else(|| TableError::malformed("atom", format!("{term:#x} is no atom")))?;
        if !self.names.contains_key(&index) {
            let name = self.read_name(memory, index)?;
            if self.remembered_bytes >= MAX_REMEMBERED_BYTES {
                self.names.clear();
                self.remembered_bytes = 0;
            }
            // Beside the text there is its entry, of some words.
            let bytes = name.len().saturating_add(64);
            self.remembered_bytes = self.remembered_bytes.saturating_add(bytes);
            self.names.insert(index, name);
        }
        Ok(self.names.get(&index).map_or("", |name| name))
    }

    fn read_name(&self, memory: &impl TargetMemory, index: u32) -> Result<Box<str>, TableError> {
        let segments = memory.read_u64_at(self.address, 120)?;
        let segment = memory.read_u64(segments.wrapping_add(u64::from(index >> 10) * 8))?;
        let atom = memory.read_u64(segment.wrapping_add(u64::from(index & 1023) * 8))?;
        let mut bytes = [0; ATOM_BYTES];
        memory.read(atom, &mut bytes)?;
        let (len_bytes, name) = atom_head(&bytes, index)?;
        let text = match self.form {
            AtomName::Pointer => name,
            AtomName::Bitstring => behind_bitstring(memory, name, len_bytes)?,
        };
        let text = memory.read_vec(text, len_bytes, MAX_NAME_BYTES)?;
        decode(text)
    }

    /// Reads the atoms the VM itself brings, which are its first, with few calls: for callers that
    /// need many of them. Without this, and where it fails, each name is read on request.
    pub fn read_builtin(&mut self, memory: &impl TargetMemory) {
        let names = self
            .read_first(memory, MAX_BUILTIN_ATOMS)
            .unwrap_or_default();
        for (index, name) in (0..).zip(names) {
            self.names.entry(index).or_insert(name);
        }
    }

    /// Reads the first `count` atoms at once.
    pub fn read_first(
        &self,
        memory: &impl TargetMemory,
        count: u32,
    ) -> Result<Vec<Box<str>>, TableError> {
        const WHAT: &str = "atoms";
        /// Bytes for each besides its text: its head and the pointers to it.
        const BYTES_EACH: usize = 2 * ATOM_BYTES + 64;
        let spent = |spent| ReadError::spent(self.address, spent);
        let count = count.min(self.count(memory)?);
        let each = (count as usize).saturating_mul(BYTES_EACH);
        let _heads = memory.budget().hold(WHAT, each).map_err(spent)?;
        let segments = memory.read_u64_at(self.address, 120)?;
        let mut pointers = Vec::new();
        for segment_index in 0..count.div_ceil(1024) {
            let segment = memory.read_u64(segments.wrapping_add(u64::from(segment_index) * 8))?;
            let bytes = memory.read_vec(segment, 8192, 8192)?;
            pointers.extend(target_memory::bytes_to_words(&bytes));
        }
        pointers.truncate(count as usize);
        let heads = Range::at_each(pointers.iter().copied(), ATOM_BYTES);
        let mut bytes = vec![0; heads.len() * ATOM_BYTES];
        memory.read_many(&heads, &mut bytes)?;
        let mut texts = Vec::with_capacity(heads.len());
        for (index, head) in bytes.chunks_exact(ATOM_BYTES).enumerate() {
            let (len_bytes, address) = atom_head(head, index as u32)?;
            texts.push(Range { address, len_bytes });
        }
        if self.form == AtomName::Bitstring {
            behind_bitstrings(memory, &mut texts)?;
        }
        let text_bytes = texts.iter().map(|text| text.len_bytes);
        let text_bytes = text_bytes.fold(0, usize::saturating_add);
        // They are copied once more, each for itself.
        let _copies = memory.budget().hold(WHAT, text_bytes).map_err(spent)?;
        let mut bytes = memory.budget().zeros(WHAT, text_bytes).map_err(spent)?;
        memory.read_many(&texts, &mut bytes)?;
        let mut rest = &*bytes;
        texts
            .iter()
            .map(|text| {
                let (name, tail) = rest.split_at(text.len_bytes);
                rest = tail;
                decode(name.to_vec())
            })
            .collect()
    }
}

/// Length and address of the name, after checking that this is atom `index`.
fn atom_head(bytes: &[u8], index: u32) -> Result<(usize, u64), TableError> {
    let own_index = u32_at(bytes, 16);
    let len_bytes = u16_at(bytes, 24).map(usize::from);
    match (len_bytes, u64_at(bytes, 32)) {
        (Some(len_bytes), Some(text))
            if own_index == Some(index) && len_bytes <= MAX_NAME_BYTES =>
        {
            Ok((len_bytes, text))
        }
        _ => Err(TableError::malformed(
            "atom table",
            format!("entry {index} is no atom"),
        )),
    }
}

fn decode(text: Vec<u8>) -> Result<Box<str>, TableError> {
    String::from_utf8(text)
        .map(String::into_boxed_str)
        .map_err(|_| TableError::malformed("atom", "its name is not UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use target_memory::SnapshotMemory;

    fn table(names: &[&str]) -> SnapshotMemory {
        let mut memory = SnapshotMemory::new();
        let mut head = vec![0u64; 16];
        head[14] = (names.len() as u64) << 32 | 1_048_576; // limit, entries
        head[15] = 0x2000;
        memory.map_words(0x1000, &head).map_words(0x2000, &[0x3000]);
        let pointers: Vec<u64> = (0..1024).map(|index| 0x10_000 + index * 0x100).collect();
        memory.map_words(0x3000, &pointers);
        for (index, name) in names.iter().enumerate() {
            let at = 0x10_000 + index as u64 * 0x100;
            memory.map_words(at, &[0, 0, index as u64, name.len() as u64, at + 0x80]);
            memory.map(at + 0x80, name.as_bytes().to_vec());
        }
        memory
    }

    #[test]
    fn names_by_term_and_all_at_once() {
        let memory = table(&["false", "true", "größe"]);
        let mut atoms = AtomTable::new(0x1000);
        assert_eq!(atoms.name(&memory, 2 << 6 | 0xb).unwrap(), "größe");
        assert_eq!(atoms.count(&memory).unwrap(), 3);
        let all = atoms.read_first(&memory, 1000).unwrap();
        assert_eq!(all, ["false".into(), "true".into(), "größe".into()]);
        assert!(atoms.name(&memory, 2 << 6 | 0xf).is_err());
        assert!(atoms.name(&memory, 9 << 6 | 0xb).is_err());
    }

    /// The same table as OTP 29 has it: names are terms, long ones with their bytes elsewhere.
    fn with_bitstrings(names: &[&str]) -> SnapshotMemory {
        let mut memory = table(names);
        for (index, name) in names.iter().enumerate() {
            let at = 0x10_000 + index as u64 * 0x100;
            let len = name.len() as u64;
            memory.map_words(at, &[0, 0, index as u64, len, (at + 0x40) | 2]);
            let mut text = name.as_bytes().to_vec();
            if name.len() <= 64 {
                text.resize(80, 0);
                let mut bytes: Vec<u8> = [0xa0u64, len * 8].map(u64::to_le_bytes).concat();
                bytes.extend(text);
                memory.map(at + 0x40, bytes);
            } else {
                let elsewhere = 0x90_000 + index as u64 * 0x1000;
                memory
                    .map_words(at + 0x40, &[0x124, elsewhere | 1, 16, 16 + len * 8])
                    .map(elsewhere, [b"--", text.as_slice()].concat());
            }
        }
        memory
    }

    #[test]
    fn names_that_are_terms() {
        let long = "ä".repeat(255);
        let names = ["false", "true", "größe", long.as_str()];
        let memory = with_bitstrings(&names);
        assert_eq!(
            AtomTable::detect_names(&memory, 0x1000),
            Some(AtomName::Bitstring)
        );
        assert_eq!(
            AtomTable::detect_names(&table(&names[..2]), 0x1000),
            Some(AtomName::Pointer)
        );
        let mut atoms = AtomTable::with_names(0x1000, AtomName::Bitstring);
        assert_eq!(atoms.name(&memory, 2 << 6 | 0xb).unwrap(), "größe");
        assert_eq!(atoms.name(&memory, 3 << 6 | 0xb).unwrap(), long);
        let all = atoms.read_first(&memory, 1000).unwrap();
        assert_eq!(all, names.map(Box::from));
        // A name with another length than its atom is none, nor one of another kind.
        for words in [[0xa0, 16, 0, 0], [0x124, 0x90_000, 0, 8], [0x40, 56, 0, 0]] {
            let mut memory = memory.clone();
            memory.map_words(0x10_240, &words);
            let mut atoms = AtomTable::with_names(0x1000, AtomName::Bitstring);
            assert!(atoms.name(&memory, 2 << 6 | 0xb).is_err());
        }
    }

    #[test]
    fn other_tables_hold_no_atoms() {
        assert_eq!(AtomTable::detect_names(&table(&["x", "y"]), 0x1000), None);
    }

    proptest! {
        #[test]
        fn garbage_never_panics(words in prop::collection::vec(0u64..0x800, 256), term: u64) {
            let mut memory = SnapshotMemory::new();
            memory.map_words(0, &words);
            for form in [AtomName::Pointer, AtomName::Bitstring] {
                let mut atoms = AtomTable::with_names(0, form);
                let _ = atoms.name(&memory, term);
                let _ = atoms.read_first(&memory, 2000);
            }
            let _ = AtomTable::detect_names(&memory, 0);
        }
    }
}
