//! Conditions that a comparison has no figure for: they neither hold nor fail to.

use super::{Condition, Subject, Unit};
use crate::answer::Comparison;
use crate::condition::ColumnName;
use crate::measure::Measure;

/// Most names that an error proposes.
const PROPOSED: usize = 3;

/// Why a condition does not fit a comparison.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// Own time, where nobody named the own code.
    #[error("`{condition}` needs own time, and no capture has any")]
    NoOwn {
        /// The condition.
        condition: String,
    },
    /// A limit in a unit of another measure.
    #[error("`{condition}`: {} is no unit of {}", .given.as_str(), measure_name(*.measure))]
    WrongUnit {
        /// The condition.
        condition: String,
        /// Its unit.
        given: Unit,
        /// What is compared.
        measure: Measure,
    },
    /// The whole program, of which nothing is known.
    #[error("`{condition}`: the captures tell no processor time of the whole program")]
    NoWhole {
        /// The condition.
        condition: String,
    },
    /// Classes, which captures of other tools do not tell.
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
    /// What helps.
    pub fn fix(&self) -> String {
        match self {
            Self::NoOwn { .. } => "name the folder of your sources: --own DIR".to_owned(),
            Self::WrongUnit { measure, .. } => format!(
                "give the limit in {} or in %, or choose what is compared: --measure",
                Unit::of(*measure).as_str()
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
        Measure::Work => "processor time for each unit of work",
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
    pub fn check(&self, comparison: &Comparison) -> Result<(), Unfit> {
        let condition = || self.text.clone();
        let measure = match &self.subject {
            Subject::Whole => match &comparison.whole {
                Some(whole) => whole.measure,
                None => {
                    return Err(Unfit::NoWhole {
                        condition: condition(),
                    });
                }
            },
            _ => comparison.measure,
        };
        if let Some(given) = self.unit
            && given != Unit::Percent
            && given != Unit::of(measure)
        {
            return Err(Unfit::WrongUnit {
                condition: condition(),
                given,
                measure,
            });
        }
        if self.column == Some(ColumnName::Own)
            && comparison.functions.iter().all(|row| row.own.is_none())
        {
            return Err(Unfit::NoOwn {
                condition: condition(),
            });
        }
        if let Subject::Class(_) = self.subject
            && comparison.classes.iter().all(|row| row.class.is_none())
        {
            return Err(Unfit::NoClasses {
                condition: condition(),
            });
        }
        self.check_names(comparison)
    }

    fn check_names(&self, comparison: &Comparison) -> Result<(), Unfit> {
        let Subject::Functions(pattern) = &self.subject else {
            return Ok(());
        };
        let mut rows = comparison.functions.iter();
        if rows.any(|row| row.is_called(pattern)) {
            return Ok(());
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

/// The part of a name that tells most.
fn longest_word(name: &str) -> &str {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let words = name.split(|c| !is_part(c));
    words.max_by_key(|word| word.len()).unwrap_or_default()
}
