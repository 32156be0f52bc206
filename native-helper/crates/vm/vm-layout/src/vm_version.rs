//! Which OTP release and emulator a BEAM is, in its own words.

use target_memory::{ReadErrorKind, TargetMemory};

pub use crate::build::Build;
use crate::{EmulatorSymbols, Flavor, INTERPRETER, JIT, TableError};

/// Longest accepted version string.
const MAX_VERSION_BYTES: usize = 32;
/// The VM's own buffer for the name of its node.
const MAX_NODE_BYTES: usize = 256;

/// Release and flavor of an emulator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VmVersion {
    /// OTP release: `25`.
    pub otp_release: String,
    /// Emulator version: `13.1.5`.
    pub erts_version: String,
    /// Whether it compiles code or interprets it.
    pub flavor: Flavor,
    /// The purpose of its build.
    pub build: Build,
}

/// Reads the version constants that every emulator up to OTP 28 exports for its crash-dump tools.
pub fn read_version(
    memory: &impl TargetMemory,
    symbols: &impl EmulatorSymbols,
) -> Result<VmVersion, TableError> {
    let otp_release = c_string(memory, symbols.require("etp_otp_release")?)?;
    let erts_version = c_string(memory, symbols.require("etp_erts_version")?)?;
    let is_set = |name: &str| {
        let address = symbols.address_of(name);
        address.is_some_and(|address| memory.read_u32(address).is_ok_and(|flag| flag != 0))
    };
    let compiles = symbols.address_of("__jit_debug_descriptor").is_some()
        && symbols.address_of("beam_normal_exit").is_some();
    Ok(VmVersion {
        otp_release,
        erts_version,
        flavor: if compiles { JIT } else { INTERPRETER },
        build: Build::from_facts(
            is_set("etp_debug_compiled") || is_set("etp_lock_check"),
            is_set("etp_lock_count"),
            is_set("etp_hipe"),
        ),
    })
}

/// The name a node has now, however it got it; `None` for a VM that is no node.
pub fn read_node_name(
    memory: &impl TargetMemory,
    symbols: &impl EmulatorSymbols,
) -> Option<String> {
    let name = memory
        .read_u64(symbols.address_of("erts_this_node_sysname")?)
        .ok()?;
    node_name_in(&String::from_utf8(c_bytes(memory, name, MAX_NODE_BYTES).ok()?).ok()?)
}

/// The name in the VM's own buffer for it; `None` when it contains no name.
pub fn node_name_in(text: &str) -> Option<String> {
    // It is kept as an atom is printed, so most names have quotes around them.
    let name = text.trim_matches('\'').to_owned();
    // A VM has `nonode@nohost` there until it has a name.
    (name.contains('@') && name != "nonode@nohost" && !name.contains(char::is_control))
        .then_some(name)
}

fn c_bytes(
    memory: &impl TargetMemory,
    address: u64,
    max_bytes: usize,
) -> Result<Vec<u8>, TableError> {
    let mut bytes = Vec::with_capacity(max_bytes);
    for offset in 0..max_bytes as u64 {
        let mut byte = [0];
        match memory.read(address.wrapping_add(offset), &mut byte) {
            Ok(()) if byte[0] == 0 => break,
            Ok(()) => bytes.push(byte[0]),
            Err(error) if error.kind == ReadErrorKind::Unmapped && !bytes.is_empty() => break,
            Err(error) => return Err(error.into()),
        }
    }
    Ok(bytes)
}

fn c_string(memory: &impl TargetMemory, address: u64) -> Result<String, TableError> {
    String::from_utf8(c_bytes(memory, address, MAX_VERSION_BYTES)?)
        .ok()
        .filter(|text| {
            text.starts_with(|first: char| first.is_ascii_digit())
                && text.chars().all(|c| c.is_ascii_graphic())
        })
        .ok_or_else(|| TableError::malformed("version string", "not a version"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use target_memory::SnapshotMemory;

    #[test]
    fn reads_release_and_flavor() {
        let mut memory = SnapshotMemory::new();
        memory
            .map(0x100, b"27\0".to_vec())
            .map(0x200, b"15.2.7\0".to_vec());
        let symbols = |name: &str| match name {
            "etp_otp_release" => Some(0x100),
            "etp_erts_version" => Some(0x200),
            _ => None,
        };
        let version = read_version(&memory, &symbols).unwrap();
        assert_eq!(
            (version.otp_release.as_str(), version.flavor.name()),
            ("27", "emu")
        );
    }

    #[test]
    fn what_it_was_built_for_is_in_its_constants() {
        let build = |flags: [u32; 4]| {
            let mut memory = SnapshotMemory::new();
            memory.map(0x100, b"27\0".to_vec());
            memory.map(
                0x200,
                flags.iter().flat_map(|flag| flag.to_le_bytes()).collect(),
            );
            let symbols = |name: &str| match name {
                "etp_otp_release" | "etp_erts_version" => Some(0x100),
                "etp_debug_compiled" => Some(0x200),
                "etp_lock_check" => Some(0x204),
                "etp_lock_count" => Some(0x208),
                "etp_hipe" => Some(0x20c),
                _ => None,
            };
            read_version(&memory, &symbols).unwrap().build
        };
        assert_eq!(build([0, 0, 0, 0]), Build::Optimized);
        assert_eq!(build([0, 0, 1, 1]), Build::LockCounting);
        assert_eq!(build([1, 1, 0, 0]), Build::Debug);
        assert_eq!(build([0, 1, 0, 1]), Build::Debug);
        assert_eq!(build([0, 0, 0, 1]), Build::Hipe);
    }

    #[test]
    fn a_node_has_the_name_it_gave_itself() {
        let named = |name: &[u8]| {
            let mut memory = SnapshotMemory::new();
            memory.map_words(0x100, &[0x200]).map(0x200, name.to_vec());
            read_node_name(&memory, &|_: &str| Some(0x100))
        };
        assert_eq!(named(b"rabbit@host\0").as_deref(), Some("rabbit@host"));
        assert_eq!(named(b"'rmq-1@host'\0").as_deref(), Some("rmq-1@host"));
        assert_eq!(named(b"nonode@nohost\0"), None);
        assert_eq!(named(&[0xff; 300]), None);
        assert_eq!(named(b"uninitialized yet\0"), None);
    }

    #[test]
    fn garbage_is_no_version() {
        let mut memory = SnapshotMemory::new();
        memory.map(0x100, vec![0xff; 64]);
        assert!(read_version(&memory, &|_: &str| Some(0x100)).is_err());
    }
}
