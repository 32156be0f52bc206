//! Tracing in some of the captures that are compared: it takes time of its own.

use capture::reader::Capture;

use crate::fact_of_group::FactOfGroup;
use crate::notes::{Note, NoteKind};
use crate::side::{CaptureToCompare, Side};

/// Whether something was traced in a capture; `None` where that is not known.
type IsTraced = fn(&Capture) -> Option<bool>;

/// A kind of tracing.
pub struct Tracing {
    /// Some captures were traced, others were not.
    one_sided: NoteKind,
    /// The same, and the others do not contain whether they were.
    unknown: NoteKind,
}

/// Of calls: breakpoints of functions.
pub const OF_CALLS: Tracing = Tracing {
    one_sided: NoteKind::TracingOnOneSide,
    unknown: NoteKind::TracingUnknown,
};

/// Of messages and events of processes.
pub const OF_PROCESSES: Tracing = Tracing {
    one_sided: NoteKind::ProcessTracingOnOneSide,
    unknown: NoteKind::ProcessTracingUnknown,
};

impl Tracing {
    /// That some captures of two groups were traced and others were not, or do not contain whether they were. The first
    /// value is the name of a group only where no more of the other one can have been traced:
    /// [`crate::gate::unlike_sides`] takes the direction from it.
    pub fn between(&self, base: &FactOfGroup<'_>, new: &FactOfGroup<'_>) -> Option<Note> {
        let first = |fact| base.first(fact).or_else(|| new.first(fact));
        let traced = first(Some(true))?;
        let (kind, fact) = match (first(Some(false)), first(None)) {
            (Some(_), _) => (self.one_sided, Some(false)),
            (None, Some(_)) => (self.unknown, None),
            (None, None) => return None,
        };
        let is_more_in = |group: &FactOfGroup<'_>, other: &FactOfGroup<'_>| {
            !group.are_all(Some(false)) && !other.are_all(Some(true))
        };
        let other_of = |other: &FactOfGroup<'_>| {
            let is_whole = other.are_all(fact);
            is_whole.then(|| other.name.to_owned())
        };
        let capture = || first(fact).unwrap_or_default().to_owned();
        let (traced, other) = match (is_more_in(base, new), is_more_in(new, base)) {
            (true, false) => (base.name, other_of(new)),
            (false, true) => (new.name, other_of(base)),
            _ => (traced, None),
        };
        let other = other.unwrap_or_else(capture);
        Some(Note::of(kind, &[traced, &other]))
    }
}

/// The notes on tracing in the captures of two sides.
pub fn tracing_notes(base: &Side<'_>, new: &Side<'_>) -> Vec<Note> {
    let kinds: [(Tracing, IsTraced); 2] =
        [(OF_CALLS, is_traced), (OF_PROCESSES, has_traced_processes)];
    let notes = kinds.iter().filter_map(|(tracing, is_traced)| {
        let fact = |side| fact_of_side(side, *is_traced);
        tracing.between(&fact(base), &fact(new))
    });
    notes.collect()
}

fn fact_of_side<'s>(side: &'s Side<'_>, is_traced: IsTraced) -> FactOfGroup<'s> {
    let of = |given: &'s CaptureToCompare<'_>| (given.name.as_str(), is_traced(given.capture));
    FactOfGroup {
        name: &side.name,
        each: side.captures.iter().map(of).collect(),
    }
}

/// Whether calls were traced in a capture; `None` where that is not known.
pub fn is_traced(capture: &Capture) -> Option<bool> {
    let quality = capture.quality()?;
    match quality.traced > 0 {
        true => Some(true),
        false => quality.tracing.map(|found| found.traced > 0),
    }
}

/// Whether messages or events of processes were traced in a capture; `None` where that is not known, as where there were too
/// many processes to look at each.
pub fn has_traced_processes(capture: &Capture) -> Option<bool> {
    let found = capture.quality()?.traced_processes?;
    match found.traced > 0 {
        true => Some(true),
        false => (found.left_out == 0).then_some(false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const T: Option<bool> = Some(true);
    const F: Option<bool> = Some(false);

    /// The facts of three captures of each group; the kind of the note and its values.
    type Case = (
        [Option<bool>; 3],
        [Option<bool>; 3],
        Option<(NoteKind, [&'static str; 2])>,
    );

    const CASES: [Case; 14] = {
        use NoteKind::{TracingOnOneSide, TracingUnknown};
        [
            (
                [T, T, T],
                [F, F, F],
                Some((TracingOnOneSide, ["base", "new"])),
            ),
            (
                [F, F, F],
                [F, T, None],
                Some((TracingOnOneSide, ["new", "base"])),
            ),
            // The newer one has more of it, or as much.
            (
                [F, T, F],
                [T, T, T],
                Some((TracingOnOneSide, ["new", "b0"])),
            ),
            (
                [None, F, F],
                [T, T, T],
                Some((TracingOnOneSide, ["new", "b1"])),
            ),
            (
                [T, T, T],
                [T, F, T],
                Some((TracingOnOneSide, ["base", "n1"])),
            ),
            // Either may.
            ([F, T, F], [T, F, T], Some((TracingOnOneSide, ["b1", "b0"]))),
            (
                [F, None, F],
                [T, None, T],
                Some((TracingOnOneSide, ["n0", "b0"])),
            ),
            (
                [T, T, T],
                [None, None, None],
                Some((TracingUnknown, ["base", "new"])),
            ),
            (
                [None, None, None],
                [T, T, T],
                Some((TracingUnknown, ["new", "base"])),
            ),
            (
                [T, None, T],
                [None, T, None],
                Some((TracingUnknown, ["b0", "b1"])),
            ),
            (
                [T, T, T],
                [T, T, None],
                Some((TracingUnknown, ["base", "n2"])),
            ),
            ([T, T, T], [T, T, T], None),
            ([F, F, F], [None, None, None], None),
            ([None, None, None], [None, F, None], None),
        ]
    };

    #[test]
    fn captures_that_were_traced_and_others_are_named_by_their_groups_where_the_direction_is_known()
    {
        for (base, new, expected) in CASES {
            let group = |name, names: [&'static str; 3], facts| FactOfGroup {
                name,
                each: names.into_iter().zip(facts).collect(),
            };
            let (base, new) = (
                group("base", ["b0", "b1", "b2"], base),
                group("new", ["n0", "n1", "n2"], new),
            );
            let note = OF_CALLS.between(&base, &new);
            let found = note.map(|note| (note.kind, note.values));
            let expected =
                expected.map(|(kind, values)| (kind, values.map(str::to_owned).to_vec()));
            assert_eq!(found, expected, "{:?} {:?}", base.each, new.each);
        }
    }
}
