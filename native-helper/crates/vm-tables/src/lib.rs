//! The tables of a running BEAM, read from outside.
//!
//! [`anchors`] finds the VM's global structures; [`layout`] knows where fields are (data per OTP release, cross-checked against what the VM's
//! own code says); [`code`] turns program counters into functions and lines; [`atoms`],
//! [`processes`], [`schedulers`] and [`bifs`] read the rest. All of it works on any
//! [`target_memory::TargetMemory`] and treats every word as hostile.

pub mod anchors;
pub mod atoms;
pub mod bifs;
pub mod callees;
pub mod code;
pub mod interpreter;
pub mod layout;
pub mod native_tables;
pub mod pids;
pub mod processes;
pub mod schedulers;
pub mod vm_version;

mod error;

pub use error::TableError;

/// Where the linker put a symbol of the emulator, as an address in the target.
pub trait EmulatorSymbols {
    /// Address of `name`, or `None` when the binary does not export it.
    fn address_of(&self, name: &str) -> Option<u64>;

    /// Address of `name`, or the error that names it.
    fn require(&self, name: &'static str) -> Result<u64, TableError> {
        self.address_of(name).ok_or(TableError::NoSymbol { name })
    }
}

impl<F: Fn(&str) -> Option<u64>> EmulatorSymbols for F {
    fn address_of(&self, name: &str) -> Option<u64> {
        self(name)
    }
}
