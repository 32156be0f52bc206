//! Where in a message its samples are. They are most of its fields and come in long rows, so what
//! reads the tables need not go past each of them again.

use std::ops::Range;

use crate::wire::{Field, Fields, WireError};

/// Runs that are told apart. A message that changes between tables and samples more often than that
/// is gone through as a whole from there on.
const MAX_RUNS: usize = 1 << 12;

/// The number of the field that holds a sample.
pub(super) const PROFILE_SAMPLE: u64 = 2;

/// Parts of a message, in its order and of whole fields.
#[derive(Debug, Default)]
pub(super) struct Runs {
    /// All tables and other facts, here and there a sample.
    pub(super) tables: Vec<Range<usize>>,
    /// All samples, here and there something else.
    pub(super) samples: Vec<Range<usize>>,
}

impl Runs {
    /// Goes through the whole message. Also returned: where the message ends inside a field, if it
    /// does.
    ///
    /// # Errors
    /// [`WireError::Malformed`] when it is no protobuf message.
    pub(super) fn of(message: &[u8]) -> Result<(Self, Option<usize>), WireError> {
        let mut runs = Self::default();
        let mut fields = Fields::new(message);
        loop {
            let start = message.len() - fields.remaining();
            let list = match fields.next_field() {
                Ok(Some(Field::Bytes(PROFILE_SAMPLE, _))) => &mut runs.samples,
                Ok(Some(_)) => &mut runs.tables,
                Ok(None) => return Ok((runs, None)),
                Err(WireError::Incomplete) => return Ok((runs, Some(start))),
                Err(WireError::Malformed) => return Err(WireError::Malformed),
            };
            let end = message.len() - fields.remaining();
            let is_full = list.len() == MAX_RUNS;
            match list.last_mut() {
                Some(last) if last.end == start || is_full => last.end = end,
                _ => list.push(start..end),
            }
        }
    }

    /// The fields of some runs of a message.
    pub(super) fn fields<'m>(
        message: &'m [u8],
        runs: &'m [Range<usize>],
    ) -> impl Iterator<Item = Field<'m>> {
        runs.iter().flat_map(|run| {
            let mut fields = Fields::new(message.get(run.clone()).unwrap_or_default());
            std::iter::from_fn(move || fields.next_field().ok().flatten())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{put_bytes_field, put_varint_field};

    fn message(pattern: impl Iterator<Item = u64>) -> Vec<u8> {
        let mut message = Vec::new();
        for (index, number) in pattern.enumerate() {
            put_bytes_field(&mut message, number, &[index as u8; 3]);
        }
        message
    }

    fn contents(message: &[u8], runs: &[Range<usize>], number: u64) -> Vec<Vec<u8>> {
        Runs::fields(message, runs)
            .filter_map(|field| match field {
                Field::Bytes(found, content) if found == number => Some(content.to_vec()),
                _ => None,
            })
            .collect()
    }

    #[test]
    fn neighbours_are_one_run() {
        let message = message([6, 6, 2, 2, 2, 5, 2].into_iter());
        let (runs, cut) = Runs::of(&message).unwrap();
        assert_eq!((runs.tables.len(), runs.samples.len(), cut), (2, 2, None));
        assert_eq!(contents(&message, &runs.samples, 2).len(), 4);
        assert_eq!(contents(&message, &runs.tables, 6).len(), 2);
    }

    #[test]
    fn every_field_is_met_once_however_often_they_alternate() {
        let count = MAX_RUNS * 3;
        let message = message((0..count as u64 * 2).map(|index| 2 + index % 2 * 4));
        let (runs, _) = Runs::of(&message).unwrap();
        assert_eq!(runs.samples.len(), MAX_RUNS, "memory is bounded");
        assert_eq!(contents(&message, &runs.samples, 2).len(), count);
        assert_eq!(contents(&message, &runs.tables, 6).len(), count);
    }

    #[test]
    fn a_cut_message_reports_where_its_whole_fields_end() {
        let mut message = message([6, 2].into_iter());
        let whole = message.len();
        put_varint_field(&mut message, 9, 300);
        let (runs, cut) = Runs::of(&message[..message.len() - 1]).unwrap();
        assert_eq!(cut, Some(whole));
        assert_eq!(runs.samples.len() + runs.tables.len(), 2);
    }
}
