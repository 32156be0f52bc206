//! `--fail-if` and `--bisect`: what follows from conditions.

use compare::answer::Comparison;
use compare::{Certainty, Condition, Gate, Unfit};

use crate::failure::{Exit, Failure};

/// Judges all conditions.
///
/// # Errors
/// A usage error where the comparison has no figure for one.
pub fn judge(conditions: &[Condition], comparison: &Comparison) -> Result<Vec<Gate>, Failure> {
    let judged = conditions.iter().map(|each| each.judge(comparison));
    judged
        .collect::<Result<_, _>>()
        .map_err(|unfit: Unfit| Failure::new(Exit::Usage, unfit.to_string(), "", unfit.fix()))
}

/// Fails when a condition holds.
///
/// # Errors
/// The condition, and what it holds for.
pub fn fail(gates: &[Gate]) -> Result<(), Failure> {
    match gates.iter().find(|gate| gate.holds) {
        Some(gate) => Err(Failure::new(Exit::ConditionHolds, gate.text(), "", "")),
        None => Ok(()),
    }
}

/// What a bisection needs to know: by intervals alone, and nothing where they hold the limit.
///
/// # Errors
/// The condition that holds for certain, else the one that nobody can tell of.
pub fn bisect(gates: &[Gate]) -> Result<(), Failure> {
    let find = |certainty| gates.iter().find(|gate| gate.certainty == certainty);
    if let Some(gate) = find(Certainty::Beyond) {
        return Err(Failure::new(Exit::ConditionHolds, gate.text(), "", ""));
    }
    match find(Certainty::Unknown) {
        Some(gate) => {
            let (what, fix) = gate.undecided_text();
            Err(Failure::new(Exit::CannotTell, what, "", fix))
        }
        None => Ok(()),
    }
}

/// The exit codes of `git bisect run`: a commit that could not be measured is not a bad one, and a command
/// line that makes no sense must not be taken for one.
pub fn exit_of_bisection(exit: Exit) -> Exit {
    match exit {
        Exit::ConditionHolds => Exit::Other,
        Exit::Usage => Exit::EndBisection,
        _ => Exit::CannotTell,
    }
}
