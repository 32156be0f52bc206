//! Where the emulator's C functions are, for code that names them by their callers.

use native_code::symbols::FunctionName;
use vm_code::callees::{CalleeNames, CodeOfVm};
use vm_tables::bifs::BifTable;

use crate::objects::TargetObjects;

/// Facts about the emulator's C code.
pub(crate) struct EmulatorCode<'a> {
    pub objects: &'a TargetObjects,
    /// Arguments of the VM.
    pub command_line: &'a [String],
    pub bifs: &'a BifTable,
}

impl EmulatorCode<'_> {
    /// Start and end of the scheduling function.
    pub fn schedule(&self, callees: &CalleeNames) -> Option<(u64, u64)> {
        self.bounds(callees.address_of("erts_schedule")?)
    }
}

impl CodeOfVm for EmulatorCode<'_> {
    fn exported(&self, name: &str) -> Option<u64> {
        self.objects.emulator_symbol(name)
    }

    fn bif(&self, name: &str) -> Option<u64> {
        self.bifs.start_of(name)
    }

    fn bounds(&self, address: u64) -> Option<(u64, u64)> {
        let emulator = self.objects.emulator()?;
        let function = emulator.function_at(address)?;
        // A stub for a function of another library is no function of the emulator.
        if matches!(function.name, FunctionName::Plt(_)) {
            return None;
        }
        let start = function.start_svma.wrapping_add(emulator.bias);
        Some((start, function.end_svma.wrapping_add(emulator.bias)))
    }

    fn has_usual_allocators(&self) -> bool {
        !self.command_line.iter().any(|flag| picks_allocators(flag))
    }
}

/// Flags that decide which functions allocate: `+Mea` and `+M<S>e` (on or off), `+M<S>t` (per
/// thread or not), `+Mi...` (instrumentation). All others tune what these functions do. The
/// emulator itself gets them with a minus.
fn picks_allocators(flag: &str) -> bool {
    let Some(rest) = flag.strip_prefix("+M").or(flag.strip_prefix("-M")) else {
        return false;
    };
    let mut letters = rest.chars();
    match (letters.next(), letters.next()) {
        (Some('e' | 'i'), _) => true,
        (_, Some('e' | 't')) => true,
        (first, _) => first.is_none(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_that_tune_allocators_do_not_pick_them() {
        for tunes in ["+MBas", "+MHlmbcs", "+MBacul", "-Muacul", "+K", "-root"] {
            assert!(!picks_allocators(tunes), "{tunes}");
        }
        for picks in ["+Mea", "-MRt", "+MRe", "-Mit", "+Mut", "+M"] {
            assert!(picks_allocators(picks), "{picks}");
        }
    }
}
