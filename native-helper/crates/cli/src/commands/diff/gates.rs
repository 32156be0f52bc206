//! `--fail-if` and `--bisect`: what follows from conditions.

use compare::answer::Comparison;
use compare::history_answer::History;
use compare::{
    Certainty, Condition, Gate, HistoryCondition, HistoryGate, Measure, TooShort, Unfit,
};
use serde::Serialize;

use crate::arguments::FailIf;
use crate::failure::{Exit, Failure};

/// An answer as JSON, with its conditions where some were given.
#[derive(Serialize)]
pub struct Judged<'a, Answer, Gate> {
    #[serde(flatten)]
    pub answer: &'a Answer,
    #[serde(skip_serializing_if = "<[Gate]>::is_empty")]
    pub gates: &'a [Gate],
}

/// Judges all conditions.
///
/// # Errors
/// A usage error where the comparison has no figure for one; another one where the captures are to blame.
pub fn judge(
    conditions: &[FailIf],
    comparison: &Comparison,
    chosen: Option<Measure>,
) -> Result<Vec<Gate>, Failure> {
    let judged = conditions.iter().map(|each| {
        let condition: &Condition = match each {
            FailIf::Compared(condition) => condition,
            FailIf::Newest(_) => return Err(no_history()),
        };
        let judged = condition.judge(comparison, chosen);
        judged.map_err(|unfit: Unfit| {
            let exit = match unfit {
                Unfit::NotMatched { .. } | Unfit::OneSided { .. } | Unfit::WorkLost { .. } => {
                    Exit::Other
                }
                _ => Exit::Usage,
            };
            Failure::new(exit, unfit.to_string(), "", unfit.fix())
        })
    });
    judged.collect()
}

fn no_history() -> Failure {
    Failure::new(
        Exit::Usage,
        "a limit `>history` is for --history",
        "two sides are no history",
        "give a limit, as in whole.slower>3%, or a folder of captures: --history FOLDER",
    )
}

/// The conditions of a history.
///
/// # Errors
/// A usage error where one is for the comparison of two sides.
pub fn of_history(conditions: &[FailIf]) -> Result<Vec<&HistoryCondition>, Failure> {
    let conditions = conditions.iter().map(|each| match each {
        FailIf::Newest(condition) => Ok(condition),
        FailIf::Compared(condition) => Err(Failure::new(
            Exit::Usage,
            format!("`{condition}` is for the comparison of two sides"),
            "the limit of a history comes from its commits",
            "write it with >history, as in whole.slower>history",
        )),
    });
    conditions.collect()
}

/// Judges the conditions of a history.
///
/// # Errors
/// A usage error where too few commits give no limit.
pub fn judge_newest(
    conditions: &[&HistoryCondition],
    history: &History,
) -> Result<Vec<HistoryGate>, Failure> {
    let judged = conditions.iter().map(|each| each.judge(history));
    judged
        .collect::<Result<_, _>>()
        .map_err(|too_short: TooShort| {
            Failure::new(
                Exit::Usage,
                too_short.to_string(),
                "fewer than three commits let expect nothing",
                "record more commits, or compare two: extrospect diff BASE -- NEW",
            )
        })
}

/// Fails when a condition on a history holds.
///
/// # Errors
/// The condition, and the figure for which it holds.
pub fn fail_newest(gates: &[HistoryGate]) -> Result<(), Failure> {
    match gates.iter().find(|gate| gate.holds) {
        Some(gate) => Err(Failure::new(Exit::ConditionHolds, gate.text(), "", "")),
        None => Ok(()),
    }
}

/// Fails when a condition holds.
///
/// # Errors
/// The condition, and the figure for which it holds.
pub fn fail(gates: &[Gate]) -> Result<(), Failure> {
    match gates.iter().find(|gate| gate.holds) {
        Some(gate) => Err(Failure::new(Exit::ConditionHolds, gate.text(), "", "")),
        None => Ok(()),
    }
}

/// The result for a bisection: by intervals alone, and none where they contain the limit.
///
/// # Errors
/// The condition that holds for certain, else the one that cannot be decided.
pub fn bisect(gates: &[Gate]) -> Result<(), Failure> {
    let find = |certainty| gates.iter().find(|gate| gate.certainty == certainty);
    if let Some(gate) = find(Certainty::Beyond) {
        return Err(Failure::new(
            Exit::ConditionHolds,
            gate.beyond_text(),
            "",
            "",
        ));
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
