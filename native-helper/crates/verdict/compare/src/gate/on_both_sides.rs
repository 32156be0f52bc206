//! Captures that are on both sides.

use super::{Certainty, Gate};
use crate::answer::Comparison;
use crate::judgement::{Answer, Doubt, Reason};
use crate::notes::NoteKind;

impl Gate {
    /// A capture does not differ from itself, so that one on both sides makes each change smaller than it is: a change
    /// within the limit proves nothing, and one beyond it is even larger.
    pub(super) fn beside_same_captures(self, comparison: &Comparison) -> Self {
        let notes = comparison.notes.iter();
        let of_both = notes.filter(|note| note.kind == NoteKind::OnBothSides);
        let doubts: Vec<Doubt> = of_both
            .map(|note| {
                let values: Vec<&str> = note.values.iter().map(String::as_str).collect();
                let fix = "give each capture to one side alone";
                Doubt::new(Reason::OnBothSides, &values, note.text.as_str(), fix)
            })
            .collect();
        if doubts.is_empty() || self.answer != Answer::DoesNotHold {
            return self;
        }
        Self {
            answer: Answer::CannotTell,
            certainty: Certainty::Unknown,
            doubts,
            ..self
        }
    }
}
