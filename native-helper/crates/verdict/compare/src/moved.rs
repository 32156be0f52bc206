//! Work that is done in another function than before.

use std::borrow::Cow;

use capture::visible::shown_name;
use serde::{Deserialize, Serialize};

/// One finding.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct Moved {
    /// How it moved.
    pub kind: MovedKind,
    /// The subject of the move: the function that is called from elsewhere, or that is part of
    /// another now.
    pub function: String,
    /// Below which, or in which, it was: the largest first.
    pub from: Vec<String>,
    /// Below which, or in which, it is.
    pub to: String,
    /// Time that went from there, all of `from` together.
    pub went: Amount,
    /// Time that came here.
    pub came: Amount,
    /// In English.
    pub text: String,
}

/// Time on both sides, in the unit of the normalisation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct Amount {
    /// On the older side.
    pub base: f64,
    /// On the newer side.
    pub new: f64,
}

/// Kinds of findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum MovedKind {
    /// A function is called from another one.
    CalledFromElsewhere,
    /// A function is called from one that had handed over to it, or to another, as the last thing it
    /// did, and so was not on the stack.
    NoLongerATailCall,
    /// The contrary: the caller is no longer on the stack.
    NowATailCall,
    /// The caller of a function does its work now.
    MergedInto,
    /// The same, by the compiler.
    Inlined,
}

impl Moved {
    pub(crate) fn new(
        kind: MovedKind,
        function: &str,
        (from, went): (Vec<String>, Amount),
        (to, came): (&str, Amount),
    ) -> Self {
        let first = from.first().map_or("", String::as_str);
        let text = text(kind, [function, first, to].map(shown_name));
        Self {
            kind,
            function: function.to_owned(),
            from,
            to: to.to_owned(),
            went,
            came,
            text,
        }
    }
}

/// The text about it, in the words of the editor (`MOVES` of `webviews/compare/strings.ts`), with the names of the
/// function, of its former caller and of its present one.
fn text(kind: MovedKind, [function, first, to]: [Cow<'_, str>; 3]) -> String {
    match kind {
        MovedKind::CalledFromElsewhere => {
            format!("{function} is called from {to} now, not from {first}")
        }
        MovedKind::NoLongerATailCall => format!(
            "{to} no longer tail-calls {function}; the time of {function} used to appear under {first}"
        ),
        MovedKind::NowATailCall => format!(
            "{first} now tail-calls {function}, so the time of {function} appears under {to}"
        ),
        MovedKind::MergedInto => format!("{function} is part of {to} now"),
        MovedKind::Inlined => format!("{function} is inlined into {to} now"),
    }
}

impl Amount {
    pub(crate) fn add(&mut self, other: Self) {
        self.base += other.base;
        self.new += other.new;
    }
}
