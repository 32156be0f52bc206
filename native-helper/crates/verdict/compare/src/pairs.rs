//! Captures in pairs: one of each side, taken one after the other on one machine.

use shared_sort::SharedSort;

use crate::notes::{Note, NoteKind};
use crate::refusal::Refusal;
use crate::side::{CaptureToCompare, Side};

/// Both sides with their captures by the time at which they were taken, so that the first of each are a pair, and the
/// second, and so on. In the order that they were given where a capture does not contain that time.
pub fn by_time<'a>(base: &Side<'a>, new: &Side<'a>) -> (Side<'a>, Side<'a>) {
    let is_known = first_without_time(base, new).is_none();
    let ordered = |side: &Side<'a>| {
        let mut side = side.clone();
        if is_known {
            side.captures
                .shared_sort_by_key(|given| given.capture.started_unix_ns());
        }
        side
    };
    (ordered(base), ordered(new))
}

/// Refuses sides that cannot have pairs: without as many captures on each.
///
/// # Errors
/// [`Refusal::NoPairs`].
pub fn check_numbers(base: &Side<'_>, new: &Side<'_>) -> Result<(), Refusal> {
    let (of_base, of_new) = (base.captures.len(), new.captures.len());
    match of_base == of_new && of_base > 1 {
        true => Ok(()),
        false => Err(Refusal::NoPairs {
            base: of_base,
            new: of_new,
        }),
    }
}

/// Refuses pairs whose captures do not follow each other: both of a pair have to share the state of the machine.
///
/// # Errors
/// [`Refusal::WrongPairs`].
pub fn check_pairs(base: &Side<'_>, new: &Side<'_>) -> Result<(), Refusal> {
    if let Some([one, other]) = wrong_pair(base, new) {
        return Err(Refusal::WrongPairs { one, other });
    }
    Ok(())
}

/// The notes on pairs that were not refused.
pub fn pair_notes(base: &Side<'_>, new: &Side<'_>) -> Vec<Note> {
    let as_given =
        first_without_time(base, new).map(|name| Note::of(NoteKind::PairsAsGiven, &[name]));
    let wrong =
        wrong_pair(base, new).map(|[one, other]| Note::of(NoteKind::WrongPairs, &[&one, &other]));
    as_given.into_iter().chain(wrong).collect()
}

fn first_without_time<'s>(base: &'s Side<'_>, new: &'s Side<'_>) -> Option<&'s str> {
    let mut all = base.captures.iter().chain(&new.captures);
    let lacks = all.find(|given| given.capture.started_unix_ns() == 0);
    lacks.map(|given| given.name.as_str())
}

/// Two captures that stand where the captures of a pair should: by time, each two are of one and the other side. Those
/// that were taken at once may have any order.
fn wrong_pair(base: &Side<'_>, new: &Side<'_>) -> Option<[String; 2]> {
    if first_without_time(base, new).is_some() {
        return None;
    }
    let of = |side: &'_ Side<'_>, is_base: bool| {
        let captures = side.captures.iter();
        captures
            .map(move |given| (is_base, Taken::of(given)))
            .collect::<Vec<_>>()
    };
    let mut all = of(base, true);
    all.extend(of(new, false));
    all.shared_sort_by_key(|(_, taken)| taken.start_ns);
    all.as_chunks()
        .0
        .iter()
        .find_map(|[(is_base, first), (other_is_base, second)]| {
            let is_wrong = is_base == other_is_base && first.end_ns <= second.start_ns;
            is_wrong.then(|| [first.name.clone(), second.name.clone()])
        })
}

/// When a capture was taken.
struct Taken {
    name: String,
    start_ns: u64,
    end_ns: u64,
}

impl Taken {
    fn of(given: &CaptureToCompare<'_>) -> Self {
        let start_ns = given.capture.started_unix_ns();
        Self {
            name: given.name.clone(),
            start_ns,
            end_ns: start_ns.saturating_add((given.seconds() * 1e9) as u64),
        }
    }
}
