//! Texts that PowerShell and other tools of Windows write as UTF-16.

use std::borrow::Cow;

const LITTLE: [u8; 2] = [0xff, 0xfe];
const BIG: [u8; 2] = [0xfe, 0xff];

/// Whether bytes begin with the mark of such a text. No pprof message does.
pub(crate) fn is_utf16(bytes: &[u8]) -> bool {
    bytes.starts_with(&LITTLE) || bytes.starts_with(&BIG)
}

/// The same text as UTF-8; what is no such text stays as it is.
pub(crate) fn to_utf8(bytes: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    let unit: fn([u8; 2]) -> u16 = match bytes.get(..2) {
        Some(mark) if mark == LITTLE => u16::from_le_bytes,
        Some(mark) if mark == BIG => u16::from_be_bytes,
        _ => return bytes,
    };
    let units = bytes.get(2..).unwrap_or_default().chunks_exact(2);
    let units = units.map(|pair| unit([pair[0], pair[1]]));
    let text: String = char::decode_utf16(units)
        .map(|found| found.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect();
    Cow::Owned(text.into_bytes())
}
