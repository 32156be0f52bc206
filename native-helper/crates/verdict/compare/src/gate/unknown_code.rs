//! Functions of which it is not known whether the commit touched them, as of dependencies and of C code in NIF libraries
//! and drivers: no text of either commit has their code, so their changes may be the commit's.

use capture::sample::FrameKind;
use capture::visible::shown_name;

use super::{Certainty, Figure, Gate, Judging};
use crate::answer::{Comparison, FunctionChange};
use crate::condition::{ColumnName, Condition, Subject};
use crate::judgement::{Answer, Doubt, Reason};

impl Condition {
    /// A condition on what the commit touched has no answer where it would not hold, and a function of unknown code is
    /// claimed to have changed beyond the limit. By its own time: its total contains its callees, whose code may be
    /// known. A new function, or one that is gone, may be so because of its callers.
    pub(super) fn beside_unknown_code(
        &self,
        gate: Gate,
        comparison: &Comparison,
        judging: &Judging<'_>,
    ) -> Gate {
        let is_asked = self.subject == Subject::Touched && !self.is_of_one_side();
        if !is_asked || gate.answer != Answer::DoesNotHold {
            return gate;
        }
        let mut changed = comparison
            .functions
            .iter()
            .filter(|row| judging.is_changed_beside_texts(row));
        let Some(first) = changed.next() else {
            return gate;
        };
        Gate {
            answer: Answer::CannotTell,
            doubts: vec![doubt(&first.function, changed.count())],
            certainty: Certainty::Unknown,
            ..gate
        }
    }
}

impl Judging<'_> {
    fn is_changed_beside_texts(&self, row: &FunctionChange) -> bool {
        // The emulator and the kernel are no part of a commit.
        let may_be_of_commit = matches!(row.kind, FrameKind::Erlang | FrameKind::Nif);
        if row.touched.is_some() || !may_be_of_commit || !row.itself.is_sampled() {
            return false;
        }
        let figure = Figure {
            name: &row.function,
            column: Some(ColumnName::Itself),
            change: &row.itself,
            time: row.itself.time(),
            is_uncharged: false,
        };
        self.judge(&figure).seems_met
    }
}

fn doubt(first: &str, others: usize) -> Doubt {
    let first = &shown_name(first);
    let changed = match others {
        0 => format!("{first} changed, and its code is not known"),
        1 => format!("{first} and 1 more changed, and their code is not known"),
        _ => format!("{first} and {others} more changed, and their code is not known"),
    };
    Doubt::new(
        Reason::CodeUnknown,
        &[first],
        changed,
        format!("gate on it, as in {first}.self.slower>5%, or on the whole"),
    )
}
