//! Conditions that a comparison has no figure for: they neither hold nor fail to.

use super::{Condition, Subject, Unit};
use crate::answer::{Comparison, FunctionChange};
use crate::condition::ColumnName;
use crate::measure::Measure;
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
    /// Work was counted, and not so that it can be compared: a percentage would be of something else.
    #[error("`{condition}` would be {}, not by work: {why}", measure_name(*.measure))]
    WorkLost {
        /// The condition.
        condition: String,
        /// The normalisation of that percentage.
        measure: Measure,
        /// Why not by work.
        why: String,
    },
    /// The functions that it names are not matched with any of the other side.
    #[error("`{condition}`: nobody knows what {} on the other side", are(.names))]
    NotMatched {
        /// The condition.
        condition: String,
        /// The functions.
        names: Vec<String>,
    },
    /// A function of one side: its replacement on the other, if any, is not known.
    #[error("`{condition}`: {name} is on the {} side alone, so that nobody knows whether it became slower or faster", side(*.is_new))]
    OneSided {
        /// The condition.
        condition: String,
        /// The function.
        name: String,
        /// Of the newer side.
        is_new: bool,
    },
    /// Waiting, which is not compared.
    #[error("`{condition}`: {class} is no work, so it is not compared")]
    NoWorkClass {
        /// The condition.
        condition: String,
        /// The class.
        class: &'static str,
    },
    /// The whole program, of which nothing is known.
    #[error("`{condition}`: the captures tell no processor time of the whole program")]
    NoWhole {
        /// The condition.
        condition: String,
    },
    /// Classes, which captures of other tools do not have.
    #[error("`{condition}`: the captures tell no classes of samples")]
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
                    ", or choose what is compared: --measure"
                }
            ),
            Self::WorkLost { .. } => {
                "leave such captures out or record them again; --measure cpu (of functions also --measure share) compares without work"
                    .to_owned()
            }
            Self::NotMatched { .. } => {
                "compare where git has both commits (git fetch --unshallow), or gate on the whole"
                    .to_owned()
            }
            Self::OneSided { is_new: true, .. } => {
                "gate on it by `new` and a limit until both sides have it, or on the whole"
                    .to_owned()
            }
            Self::OneSided { is_new: false, .. } => {
                "gate on the function that does its work now, or on the whole".to_owned()
            }
            Self::NoWorkClass { .. } => {
                "gate on a class of work, such as gc or copy, or on the whole".to_owned()
            }
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

const fn side(is_new: bool) -> &'static str {
    match is_new {
        true => "newer",
        false => "older",
    }
}

fn measure_name(measure: Measure) -> &'static str {
    match measure {
        Measure::Share => "shares",
        Measure::Cpu => "processor time each second",
        Measure::Work => "processor time per unit of work",
    }
}

fn are(names: &[String]) -> String {
    match names {
        [one] => format!("{one} is"),
        names => format!("{} are", names.join(", ")),
    }
}

fn proposal(alike: &[String]) -> String {
    match alike {
        [] => String::new(),
        names => format!("; there is {}", names.join(", ")),
    }
}

impl Condition {
    /// Refuses a condition that the comparison has no figure for.
    ///
    /// # Errors
    /// See [`Unfit`].
    pub(crate) fn check(
        &self,
        comparison: &Comparison,
        chosen: Option<Measure>,
    ) -> Result<(), Unfit> {
        let condition = || self.text.clone();
        if self.subject == Subject::Whole && comparison.whole.is_none() {
            return Err(Unfit::NoWhole {
                condition: condition(),
            });
        }
        let measure = self.measure_in(comparison);
        self.check_work(comparison, measure, chosen)?;
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
        if let Subject::Class(class) = self.subject {
            if !class.is_work() {
                return Err(Unfit::NoWorkClass {
                    condition: condition(),
                    class: class.as_str(),
                });
            }
            if comparison.classes.iter().all(|row| row.class.is_none()) {
                return Err(Unfit::NoClasses {
                    condition: condition(),
                });
            }
        }
        self.check_names(comparison)
    }

    /// A percentage fits every normalisation, so that one capture without work would change its
    /// base.
    fn check_work(
        &self,
        comparison: &Comparison,
        measure: Measure,
        chosen: Option<Measure>,
    ) -> Result<(), Unfit> {
        // The whole has no shares.
        let is_chosen = chosen == Some(measure);
        let mut notes = comparison.notes.iter();
        let lost = notes.find(|note| note.kind.is_of_lost_work());
        match lost {
            Some(note) if measure != Measure::Work && !is_chosen => Err(Unfit::WorkLost {
                condition: self.text.clone(),
                measure,
                why: note.text.clone(),
            }),
            _ => Ok(()),
        }
    }

    fn check_names(&self, comparison: &Comparison) -> Result<(), Unfit> {
        let Subject::Functions(pattern) = &self.subject else {
            return Ok(());
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
            return Err(Unfit::OneSided {
                condition: self.text.clone(),
                name: only.function.clone(),
                is_new: only.total.verdict == Verdict::New,
            });
        }
        if !rows.is_empty() {
            let names = rows.iter().take(PROPOSED).map(|row| row.function.clone());
            return match is_unknown {
                true => Err(Unfit::NotMatched {
                    condition: self.text.clone(),
                    names: names.collect(),
                }),
                false => Ok(()),
            };
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

/// The most distinctive part of a name.
fn longest_word(name: &str) -> &str {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let words = name.split(|c| !is_part(c));
    words.max_by_key(|word| word.len()).unwrap_or_default()
}
