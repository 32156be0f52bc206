//! What limits left out: each limit that took effect is a note.

use crate::notes::{Note, NoteKind};

/// What each limit left out, and the limit.
#[derive(Debug, Clone, Default)]
pub struct Cuts {
    each: Vec<(NoteKind, usize, usize)>,
}

impl Cuts {
    /// So much more was left out by a limit of this kind. None is no cut.
    pub fn add(&mut self, kind: NoteKind, left_out: usize, limit: usize) {
        let known = self.each.iter_mut().find(|(of, ..)| *of == kind);
        match known {
            _ if left_out == 0 => {}
            Some((_, sum, _)) => *sum += left_out,
            None => self.each.push((kind, left_out, limit)),
        }
    }

    /// With the cuts of another step.
    pub fn extend(&mut self, others: Self) {
        for (kind, left_out, limit) in others.each {
            self.add(kind, left_out, limit);
        }
    }

    /// One note for each kind: how many were left out, the limit.
    pub fn notes(self) -> impl Iterator<Item = Note> {
        let each = self.each.into_iter();
        each.map(|(kind, left_out, limit)| Note::cut(kind, left_out, limit))
    }
}

impl Note {
    /// So many were left out by a limit; see [`NoteKind`] for which of them are cuts.
    pub fn cut(kind: NoteKind, left_out: usize, limit: usize) -> Self {
        let values = [left_out.to_string(), limit.to_string()];
        Self::of(kind, &[&values[0], &values[1]])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_one_note_with_the_sum_and_its_limit() {
        let mut cuts = Cuts::default();
        cuts.add(NoteKind::LinesCut, 0, 2_000);
        cuts.add(NoteKind::WordsCut, 2, 5_000);
        let mut others = Cuts::default();
        others.add(NoteKind::WordsCut, 3, 5_000);
        others.add(NoteKind::FamiliesCut, 13, 12);
        cuts.extend(others);
        let notes: Vec<Note> = cuts.notes().collect();
        let values: Vec<_> = notes.iter().map(|note| (note.kind, &note.values)).collect();
        let texts = |a: &str, b: &str| vec![a.to_owned(), b.to_owned()];
        assert_eq!(
            values,
            [
                (NoteKind::WordsCut, &texts("5", "5000")),
                (NoteKind::FamiliesCut, &texts("13", "12")),
            ]
        );
        assert!(notes[0].text.starts_with("5 words"), "{}", notes[0].text);
        assert!(!notes.iter().any(|note| note.text.contains('{')));
    }
}
