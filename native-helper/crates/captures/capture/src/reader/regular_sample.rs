//! A sample as nearly all writers write it: locations and values packed, the labels one after the
//! other. Taken apart without decoding any of them.

const LOCATIONS: u8 = 1 << 3 | 2;
const VALUES: u8 = 2 << 3 | 2;
const LABEL: u8 = 3 << 3 | 2;

/// The parts of a sample.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct RegularSample<'m> {
    /// Packed ids of locations.
    pub(super) stack: &'m [u8],
    /// Packed values.
    pub(super) values: &'m [u8],
    /// All labels, as fields.
    pub(super) labels: &'m [u8],
    /// The same without the last one: the label with the time of the sample comes last.
    pub(super) labels_but_last: &'m [u8],
    /// The content of the last one.
    pub(super) last_label: Option<&'m [u8]>,
}

impl<'m> RegularSample<'m> {
    /// `None` for a sample of any other form, or none.
    #[inline]
    pub(super) fn of(sample: &'m [u8]) -> Option<Self> {
        let mut parts = Self::default();
        let mut labels_start = 0;
        let mut at = 0;
        while at < sample.len() {
            let (content, end) = content_of_field(sample, at)?;
            match sample[at] {
                LOCATIONS if parts.stack.is_empty() => parts.stack = content,
                VALUES if parts.values.is_empty() => parts.values = content,
                LABEL => {
                    if parts.last_label.is_none() {
                        labels_start = at;
                    } else if labels_start + parts.labels.len() != at {
                        return None;
                    }
                    parts.labels_but_last = sample.get(labels_start..at)?;
                    parts.labels = sample.get(labels_start..end)?;
                    parts.last_label = Some(content);
                }
                _ => return None,
            }
            at = end;
        }
        Some(parts)
    }
}

/// The content of the field with a length at `at`, and where it ends. `None` also for lengths of more
/// than three bytes.
#[inline]
fn content_of_field(sample: &[u8], at: usize) -> Option<(&[u8], usize)> {
    let (length, start) = match *sample.get(at + 1..)? {
        [length @ 0..0x80, ..] => (usize::from(length), at + 2),
        [low, high @ 0..0x80, ..] => (usize::from(low & 0x7f) | usize::from(high) << 7, at + 3),
        // Deep stacks.
        [low, middle, high @ 0..0x80, ..] => (
            usize::from(low & 0x7f) | usize::from(middle & 0x7f) << 7 | usize::from(high) << 14,
            at + 4,
        ),
        _ => return None,
    };
    let content = sample.get(start..start + length)?;
    Some((content, start + length))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{put_bytes_field, put_varint_field};
    use proptest::prelude::*;

    fn sample(fields: &[(u64, &[u8])]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (number, content) in fields {
            put_bytes_field(&mut bytes, *number, content);
        }
        bytes
    }

    #[test]
    fn its_parts_are_found_whichever_comes_first() {
        let bytes = sample(&[(3, b"one"), (3, b"two"), (2, &[1, 2]), (1, &[7; 200])]);
        let parts = RegularSample::of(&bytes).unwrap();
        assert_eq!((parts.stack, parts.values), (&[7; 200][..], &[1, 2][..]));
        assert_eq!(parts.labels, sample(&[(3, b"one"), (3, b"two")]));
        assert_eq!(parts.labels_but_last, sample(&[(3, b"one")]));
        assert_eq!(parts.last_label, Some(&b"two"[..]));
    }

    #[test]
    fn another_form_is_left_to_others() {
        assert_eq!(
            RegularSample::of(&sample(&[(3, b"one"), (2, &[1]), (3, b"two")])),
            None
        );
        assert_eq!(RegularSample::of(&sample(&[(1, &[1]), (1, &[2])])), None);
        assert_eq!(RegularSample::of(&sample(&[(4, &[1])])), None);
        let mut unpacked = Vec::new();
        put_varint_field(&mut unpacked, 1, 5);
        assert_eq!(RegularSample::of(&unpacked), None);
        let whole = sample(&[(1, &[1, 2, 3])]);
        assert_eq!(RegularSample::of(&whole[..whole.len() - 1]), None);
    }

    proptest! {
        #[test]
        fn garbage_has_no_parts_outside_of_it(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            if let Some(parts) = RegularSample::of(&bytes) {
                prop_assert!(parts.stack.len() + parts.values.len() + parts.labels.len() <= bytes.len());
            }
        }
    }
}
