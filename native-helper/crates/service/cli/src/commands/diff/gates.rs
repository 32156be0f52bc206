//! `--fail-if` and `--bisect`: what follows from conditions.

use compare::answer::Comparison;
use compare::history_answer::{History, SeriesOf};
use compare::{
    Answer, Caution, Certainty, Condition, Gate, HistoryCondition, HistoryGate, Measure, Unfit,
};
use serde::Serialize;

use crate::arguments::{Diff, DiffFormat, FailIf, IfUnknown};
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
/// A usage error where no such captures have a figure for one, and in CI where one is on the whole by the second
/// without a request for that.
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
        let gate = judged.map_err(|unfit: Unfit| {
            Failure::new(Exit::Usage, unfit.to_string(), "", unfit.fix())
        })?;
        match is_by_the_second(&gate) && chosen != Some(Measure::Cpu) && is_in_ci() {
            true => Err(no_work_in_ci(&gate.condition)),
            false => Ok(gate),
        }
    });
    judged.collect()
}

fn is_by_the_second(gate: &Gate) -> bool {
    gate.cautions.contains(&Caution::NoWork)
}

/// By the variable that the services for continuous integration set.
fn is_in_ci() -> bool {
    std::env::var_os("CI").is_some_and(|value| !value.is_empty() && value != "false")
}

/// Of a benchmark that takes all of a processor this gates what the runner gives it: red for a word in a README on a
/// shared one, green for everything on an idle one.
fn no_work_in_ci(condition: &str) -> Failure {
    Failure::new(
        Exit::Usage,
        format!("`{condition}` in CI (the variable CI is set), and the captures counted no work"),
        "it would be of processor time each second, which depends on the runner more than on the code",
        "count work: record with --work-command or --work-metric (docs/ci has a template), or request it: --measure cpu",
    )
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
/// A usage error in CI where one is answered by the whole by the second without a request for that.
pub fn judge_newest(
    conditions: &[&HistoryCondition],
    history: &History,
    chosen: Option<Measure>,
) -> Result<Vec<HistoryGate>, Failure> {
    let judged = conditions.iter().map(|each| {
        let gate = each.judge(history);
        let is_refused = has_whole_by_the_second(&gate, history) && chosen != Some(Measure::Cpu);
        match is_refused && is_in_ci() {
            true => Err(no_work_in_ci(&gate.condition)),
            false => Ok(gate),
        }
    });
    judged.collect()
}

fn has_whole_by_the_second(gate: &HistoryGate, history: &History) -> bool {
    let mut series = history.series.iter();
    let whole =
        series.find(|series| series.of == SeriesOf::Whole && series.measure == Measure::Cpu);
    whole.is_some_and(|whole| {
        let title = whole.title();
        gate.judged.iter().any(|finding| finding.series == title)
    })
}

/// A judged condition, of whatever kind.
pub trait Answered {
    /// As it was given.
    fn condition(&self) -> &str;
    /// Its answer.
    fn answer(&self) -> Answer;
    /// The answer with its reasons, in one line.
    fn text(&self) -> String;
}

impl Answered for Gate {
    fn condition(&self) -> &str {
        &self.condition
    }

    fn answer(&self) -> Answer {
        self.answer
    }

    fn text(&self) -> String {
        self.text()
    }
}

impl Answered for HistoryGate {
    fn condition(&self) -> &str {
        &self.condition
    }

    fn answer(&self) -> Answer {
        self.answer
    }

    fn text(&self) -> String {
        self.text()
    }
}

/// Fails when a condition holds, and where one cannot tell unless that is to pass.
///
/// # Errors
/// The condition, with the figures that it was judged by; of a text, which has those already, the conditions.
pub fn fail(gates: &[impl Answered], arguments: &Diff) -> Result<(), Failure> {
    let find = |answer| gates.iter().find(|gate| gate.answer() == answer);
    let (gate, exit) = match (find(Answer::Holds), find(Answer::CannotTell)) {
        (Some(gate), _) => (gate, Exit::ConditionHolds),
        (None, None) => return Ok(()),
        (None, Some(gate)) => match arguments.if_unknown {
            Some(IfUnknown::Pass) => return Ok(()),
            Some(IfUnknown::Fail) => (gate, Exit::ConditionHolds),
            None => (gate, Exit::CannotTell),
        },
    };
    // Other formats go to a file.
    let text = match arguments.format() {
        DiffFormat::Text => of_all(gates, gate.answer()),
        _ => gate.text(),
    };
    Err(Failure::new(exit, text, "", ""))
}

/// `1 of 2 conditions holds: whole.slower>3%`.
fn of_all(gates: &[impl Answered], answer: Answer) -> String {
    let such = gates.iter().filter(|gate| gate.answer() == answer);
    let conditions: Vec<&str> = such.map(Answered::condition).collect();
    let (count, all) = (conditions.len(), gates.len());
    let verb = match (answer, count) {
        (Answer::Holds, 2..) => "hold",
        _ => answer.words(),
    };
    let noun = match all {
        1 => "condition",
        _ => "conditions",
    };
    format!("{count} of {all} {noun} {verb}: {}", conditions.join(", "))
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
            Err(Failure::new(Exit::SkipCommit, what, "", fix))
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
        _ => Exit::SkipCommit,
    }
}
