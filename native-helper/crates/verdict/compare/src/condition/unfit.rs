//! Conditions that a comparison has no figure for. What no such captures can ever have is a usage error; what only these
//! captures lack leaves the gate without an answer.

use super::{Condition, Subject, Unit};
use crate::answer::{Comparison, FunctionChange};
use crate::condition::ColumnName;
use crate::judgement::{Doubt, Reason};
use crate::measure::Measure;
use crate::notes::NoteKind;
use crate::verdicts::Verdict;

/// Most names that an error proposes.
const PROPOSED: usize = 3;

/// Why a condition does not fit a comparison.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// Own time, where no own code was named.
    #[error("`{condition}` needs own time, and no capture has any")]
    NoOwn {
        /// The condition.
        condition: String,
    },
    /// A limit in a unit of another normalisation.
    #[error("`{condition}`: {} is no unit of {}", .given.as_str(), measure_name(*.measure))]
    WrongUnit {
        /// The condition.
        condition: String,
        /// Its unit.
        given: Unit,
        /// The normalisation of the comparison.
        measure: Measure,
        /// It is about new or gone functions, which have no percentage.
        is_of_one_side: bool,
        /// It is about the whole, whose normalisation cannot be chosen.
        is_of_whole: bool,
    },
    /// The whole program, of which nothing is known.
    #[error("`{condition}`: the captures have no processor time of the whole program")]
    NoWhole {
        /// The condition.
        condition: String,
    },
    /// Classes, which captures of other tools do not have.
    #[error("`{condition}`: the captures have no classes of samples")]
    NoClasses {
        /// The condition.
        condition: String,
    },
    /// A function that neither side has.
    #[error("`{condition}`: neither side has a sample of such a function{}", proposal(.alike))]
    NoFunction {
        /// The condition.
        condition: String,
        /// Names that hold part of it.
        alike: Vec<String>,
    },
}

impl Unfit {
    /// The remedy.
    pub fn fix(&self) -> String {
        match self {
            Self::NoOwn { .. } => "name the folder of your sources: --own DIR".to_owned(),
            Self::WrongUnit {
                measure,
                is_of_one_side,
                is_of_whole,
                ..
            } => format!(
                "give the limit in {}{}{}",
                Unit::of(*measure).as_str(),
                if *is_of_one_side { "" } else { " or in %" },
                if *is_of_whole {
                    ""
                } else {
                    ", or choose the normalisation: --measure"
                }
            ),
            Self::NoWhole { .. } => {
                "compare captures of `extrospect record`, or name a function".to_owned()
            }
            Self::NoClasses { .. } => "compare captures of `extrospect record`".to_owned(),
            Self::NoFunction { .. } => {
                "name it as `extrospect diff --all` shows it; `*` stands for any characters"
                    .to_owned()
            }
        }
    }
}

fn measure_name(measure: Measure) -> &'static str {
    match measure {
        Measure::Share => "shares",
        Measure::Cpu => "processor time each second",
        Measure::Work => "processor time per unit of work",
    }
}

fn proposal(alike: &[String]) -> String {
    match alike {
        [] => String::new(),
        names => format!("; there is {}", names.join(", ")),
    }
}

impl Condition {
    /// Refuses a condition that such captures never have a figure for; the doubt where only these have none.
    ///
    /// # Errors
    /// See [`Unfit`].
    pub(crate) fn check(
        &self,
        comparison: &Comparison,
        chosen: Option<Measure>,
    ) -> Result<Option<Doubt>, Unfit> {
        let condition = || self.text.clone();
        if self.subject == Subject::Whole && comparison.whole.is_none() {
            return Err(Unfit::NoWhole {
                condition: condition(),
            });
        }
        let measure = self.measure_in(comparison);
        if let Some(lost) = lost_work(comparison, measure, chosen) {
            return Ok(Some(lost));
        }
        if let Some(given) = self.unit
            && given != Unit::Percent
            && given != Unit::of(measure)
        {
            return Err(Unfit::WrongUnit {
                condition: condition(),
                given,
                measure,
                is_of_one_side: self.is_of_one_side(),
                is_of_whole: self.subject == Subject::Whole,
            });
        }
        if self.column == Some(ColumnName::Own)
            && comparison.functions.iter().all(|row| row.own.is_none())
        {
            return Err(Unfit::NoOwn {
                condition: condition(),
            });
        }
        if self.subject == Subject::Touched {
            return Ok(code_unknown(comparison));
        }
        if let Subject::Class(class) = self.subject {
            if !class.is_work() {
                return Ok(Some(not_compared(class.as_str())));
            }
            if comparison.classes.iter().all(|row| row.class.is_none()) {
                return Err(Unfit::NoClasses {
                    condition: condition(),
                });
            }
            let mut classes = comparison.classes.iter();
            let is_there = classes.any(|row| row.class == Some(class) && row.change.is_sampled());
            return Ok((!is_there).then(|| no_class(class.as_str())));
        }
        self.check_names(comparison)
    }

    fn check_names(&self, comparison: &Comparison) -> Result<Option<Doubt>, Unfit> {
        let Subject::Functions(pattern) = &self.subject else {
            return Ok(None);
        };
        let rows = self.rows(&comparison.functions);
        let has_one_side =
            |row: &&FunctionChange| matches!(row.total.verdict, Verdict::New | Verdict::Gone);
        let is_unknown = rows.iter().all(|row| row.unmatched.is_some());
        if let [only, ..] = rows.as_slice()
            && !self.is_of_one_side()
            && rows.iter().all(has_one_side)
            && (pattern.names_one() || !is_unknown)
        {
            return Ok(Some(one_side(
                &only.function,
                only.total.verdict == Verdict::New,
            )));
        }
        if !rows.is_empty() {
            return Ok(is_unknown.then(|| not_matched(&rows)));
        }
        let part = longest_word(pattern.as_str());
        let alike = comparison
            .functions
            .iter()
            .map(|row| row.function.as_str())
            .filter(|name| !part.is_empty() && name.contains(part));
        Err(Unfit::NoFunction {
            condition: self.text.clone(),
            alike: alike.take(PROPOSED).map(str::to_owned).collect(),
        })
    }
}

/// A percentage fits every normalisation, so that one capture without work would change its base.
fn lost_work(comparison: &Comparison, measure: Measure, chosen: Option<Measure>) -> Option<Doubt> {
    // The whole has no shares.
    if measure == Measure::Work || chosen == Some(measure) {
        return None;
    }
    let mut notes = comparison.notes.iter();
    let lost = notes.find(|note| note.kind.is_of_lost_work())?;
    Some(Doubt::new(
        Reason::WorkLost,
        &[&lost.text],
        format!(
            "it would be of {}, not of work: {}",
            measure_name(measure),
            lost.text
        ),
        "leave such captures out or record them again; --measure cpu (of functions also --measure share) compares without work",
    ))
}

/// Which functions the commit touched is known by the texts of both sides, the headers and macros that changed and the
/// files that were renamed alone.
fn code_unknown(comparison: &Comparison) -> Option<Doubt> {
    let noted = |is_such: fn(NoteKind) -> bool| {
        let mut notes = comparison.notes.iter();
        notes.find(|note| is_such(note.kind))
    };
    let lacking = noted(NoteKind::is_of_unknown_code);
    let is_known = comparison.functions.iter().any(|row| row.touched.is_some());
    let mut fix = "compare where git has both commits (--source-dir, git fetch --unshallow), or gate on the whole";
    let why = match lacking {
        Some(note) if note.kind == NoteKind::NameAlone => note.values.first()?.as_str(),
        Some(note) => note.text.as_str(),
        None if is_known => return None,
        None => match noted(|kind| kind == NoteKind::UncommittedHeaders) {
            Some(note) => {
                fix = "record commits without changes, or gate on the whole";
                note.text.as_str()
            }
            None => "the captures name no commits whose texts are here",
        },
    };
    Some(Doubt::new(
        Reason::CodeUnknown,
        &[why],
        format!("the functions that the commit touched are not known: {why}"),
        fix,
    ))
}

/// Waiting.
fn not_compared(class: &str) -> Doubt {
    Doubt::new(
        Reason::NotCompared,
        &[class],
        format!("{class} is no work, and a comparison leaves it out"),
        "gate on a class of work, such as gc or copy, or on the whole",
    )
}

fn no_class(class: &str) -> Doubt {
    Doubt::new(
        Reason::NoSamples,
        &[class],
        format!("neither side has a sample of {class}"),
        "gate on a class that the comparison has (`classes` of --json), or on the whole",
    )
}

/// Its replacement on the other side, if any, is not known.
fn one_side(name: &str, is_new: bool) -> Doubt {
    let (side, fix) = match is_new {
        true => (
            "newer",
            "gate on it by `new` and a limit until both sides have it, or on the whole",
        ),
        false => (
            "older",
            "gate on the function that does its work now, or on the whole",
        ),
    };
    Doubt::new(
        Reason::OneSide,
        &[name],
        format!(
            "{name} is on the {side} side alone, so that it is not known whether it became slower or faster"
        ),
        fix,
    )
}

fn not_matched(rows: &[&FunctionChange]) -> Doubt {
    let names = rows.iter().take(PROPOSED).map(|row| row.function.as_str());
    let names: Vec<&str> = names.collect();
    let are = match names.len() {
        1 => "is",
        _ => "are",
    };
    Doubt::new(
        Reason::NotMatched,
        &names,
        format!(
            "it is not known what {} {are} on the other side",
            names.join(", ")
        ),
        "compare where git has both commits (git fetch --unshallow), or gate on the whole",
    )
}

/// The most distinctive part of a name.
fn longest_word(name: &str) -> &str {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let words = name.split(|c| !is_part(c));
    words.max_by_key(|word| word.len()).unwrap_or_default()
}
