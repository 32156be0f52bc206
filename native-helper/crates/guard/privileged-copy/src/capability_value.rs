//! Capabilities of a file, as the kernel stores them beside it.

use rustix::thread::CapabilitySet;

/// The extended attribute.
pub const ATTRIBUTE: &str = "security.capability";
/// Version 2 of the format: 64 bits, for the machine's own user namespace. Without the flag that would
/// put them in force from the first instruction on: the program does that itself, for most of them.
const VERSION_2: u32 = 0x0200_0000;

/// The value that permits `capabilities` to every user who starts the file.
pub fn value(capabilities: CapabilitySet) -> [u8; 20] {
    let bits = capabilities.bits();
    let (low, high) = (bits as u32, (bits >> 32) as u32);
    let mut value = [0; 20];
    // Permitted and inheritable of the lower half, then of the upper half.
    for (place, word) in value
        .chunks_exact_mut(4)
        .zip([VERSION_2, low, 0, high, 0_u32])
    {
        place.copy_from_slice(&word.to_le_bytes());
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_value_is_what_setcap_writes() {
        // `setcap cap_sys_ptrace,cap_perfmon+p`, as getfattr -e hex shows it.
        let two = CapabilitySet::SYS_PTRACE | CapabilitySet::PERFMON;
        let expected = [
            0, 0, 0, 2, 0, 0, 8, 0, 0, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0,
        ];
        assert_eq!(value(two), expected);
    }
}
