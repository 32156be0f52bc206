//! Texts that PowerShell and other tools of Windows write as UTF-16.

use std::borrow::Cow;

const LITTLE: [u8; 2] = [0xff, 0xfe];
const BIG: [u8; 2] = [0xfe, 0xff];

/// Characters that a text without a mark shows its order of bytes by.
const TELLING: usize = 4;

/// Two bytes to a unit.
type Unit = fn([u8; 2]) -> u16;

/// Whether bytes begin like such a text: with its mark, or with plain characters that have a zero each. No
/// pprof message does.
pub(crate) fn is_utf16(bytes: &[u8]) -> bool {
    unit(bytes).is_some()
}

fn unit(bytes: &[u8]) -> Option<Unit> {
    let orders: [([u8; 2], Unit); 2] = [(LITTLE, u16::from_le_bytes), (BIG, u16::from_be_bytes)];
    let begins = |unit: Unit| {
        let start = bytes.get(..2 * TELLING)?.chunks_exact(2);
        let is_plain = |pair: &[u8]| (0x20..0x7f).contains(&unit([pair[0], pair[1]]));
        Some(start.into_iter().all(is_plain))
    };
    let found = orders
        .into_iter()
        .find(|(mark, unit)| bytes.starts_with(mark) || begins(*unit) == Some(true));
    found.map(|(_, unit)| unit)
}

/// The same text as UTF-8; other bytes stay unchanged.
pub(crate) fn to_utf8(bytes: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    let Some(unit) = unit(&bytes) else {
        return bytes;
    };
    let units = bytes.chunks_exact(2);
    let units = units.map(|pair| unit([pair[0], pair[1]]));
    let text: String = char::decode_utf16(units)
        .map(|found| found.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect();
    Cow::Owned(text.into_bytes())
}
