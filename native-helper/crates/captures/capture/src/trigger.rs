//! Conditions on readings of a VM: `mailbox>10000 or runqueue>20 or memory>8GB`.
//!
//! `and` binds closer than `or`; there are no parentheses. A comparison with a quantity that a
//! reading lacks never holds.
//!
//! Operators, numbers and units are read as in the conditions of `diff` and `diff --history` ([`crate::bound`]). The rest
//! is another grammar: this one compares quantities and joins comparisons, is read from the left, and names the place of
//! a fault with the words that fit there, which an editor offers. Those name functions, whose names may have any sign in
//! them, so they are read from the right.

use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::bound::{self, OPERATORS, Operator, behind_word};
use crate::pprof::NodeReading;

/// A longer text is no condition.
const MAX_CHARS: usize = 1000;
/// Comparisons in one condition.
const MAX_COMPARISONS: usize = 16;
const SERIAL_SHIFT: u32 = 28;

/// The compared quantity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quantity {
    Mailbox,
    Messages,
    RunQueue,
    Memory,
    Rss,
    Processes,
    Collections,
    Reductions,
}

/// The name of each, and whether it is bytes.
const QUANTITIES: [(&str, Quantity, bool); 8] = [
    ("mailbox", Quantity::Mailbox, false),
    ("messages", Quantity::Messages, false),
    ("runqueue", Quantity::RunQueue, false),
    ("memory", Quantity::Memory, true),
    ("rss", Quantity::Rss, true),
    ("processes", Quantity::Processes, false),
    ("collections/s", Quantity::Collections, false),
    ("reductions/s", Quantity::Reductions, false),
];

/// Units of bytes, in conditions and in options of the command line: decimal ones first, the smallest of them first.
pub const BYTE_UNITS: [(&str, f64); 8] = [
    ("kB", 1e3),
    ("MB", 1e6),
    ("GB", 1e9),
    ("TB", 1e12),
    ("KiB", 1024.0),
    ("MiB", 1048576.0),
    ("GiB", 1073741824.0),
    ("TiB", 1099511627776.0),
];

#[derive(Debug, Clone, Copy, PartialEq)]
struct Comparison {
    quantity: Quantity,
    operator: Operator,
    bound: f64,
}

/// When a capture is to be kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    text: String,
    /// One of these has to hold, all of its comparisons.
    any: Vec<Vec<Comparison>>,
}

/// Why a text is no condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("at character {at}: expected {expected}")]
pub struct ConditionFault {
    /// Where, the first character is 1.
    pub at: usize,
    /// The text that may be there.
    pub expected: Expected,
}

/// Text that may be at a place of a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum Expected {
    /// Name of the quantity to compare.
    Quantity,
    /// How it is compared.
    Operator,
    /// The number to compare it with.
    Number,
    /// A unit of bytes, or a space.
    ByteUnit,
    /// A space: a number that does not count bytes has no unit.
    NoUnit,
    /// A word that joins two comparisons, or the end.
    Joiner,
    /// The end: the text is as long as a condition may be.
    EndOfText,
    /// The end: there are as many comparisons as there may be.
    EndOfComparisons,
}

impl Expected {
    /// The words that may be there, where they can be listed.
    pub fn options(self) -> Vec<&'static str> {
        match self {
            Self::Quantity => QUANTITIES.iter().map(|(name, ..)| *name).collect(),
            Self::Operator => vec![">", ">=", "<", "<="],
            Self::ByteUnit => BYTE_UNITS.iter().map(|(name, _)| *name).collect(),
            Self::Joiner => vec!["or", "and"],
            Self::Number | Self::NoUnit | Self::EndOfText | Self::EndOfComparisons => Vec::new(),
        }
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let options = self.options().join(", ");
        match self {
            Self::Quantity | Self::Operator => write!(f, "one of {options}"),
            Self::Number => f.write_str("a number, 0 or more"),
            Self::ByteUnit => write!(f, "{options} or a space"),
            Self::NoUnit => f.write_str("a space: it is a number without a unit"),
            Self::Joiner => f.write_str("\"or\", \"and\" or the end"),
            Self::EndOfText => {
                write!(f, "the end: a condition has at most {MAX_CHARS} characters")
            }
            Self::EndOfComparisons => write!(
                f,
                "the end: a condition has at most {MAX_COMPARISONS} comparisons"
            ),
        }
    }
}

/// A reading's value of a quantity in a condition.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// As the condition has it: `mailbox`.
    pub name: &'static str,
    /// The value; `None` when the reading does not have it.
    pub value: Option<f64>,
    /// Whether it counts bytes.
    pub is_bytes: bool,
    /// Whose it is, as the node prints its pid: of a mailbox.
    pub process: Option<String>,
}

/// `mailbox 12000 of <0.83.0>, memory 20.8 MB`.
pub fn in_words(measured: &[Measured]) -> String {
    let each: Vec<String> = measured.iter().map(Measured::to_string).collect();
    each.join(", ")
}

/// Bytes with three digits at least, as the editor writes them: `912 B`, `12.3 kB`, `4.56 GB`.
fn memory_size(bytes: f64) -> String {
    let (unit, scale) = BYTE_UNITS[..4]
        .iter()
        .rev()
        .copied()
        // A value that would be written as 1,000 of a unit takes the next unit.
        .find(|(_, scale)| bytes >= scale * 0.9995)
        .unwrap_or(("B", 1.0));
    let value = bytes / scale;
    let digits = match value {
        _ if scale == 1.0 => 0,
        99.95.. => 0,
        9.995.. => 1,
        _ => 2,
    };
    format!("{value:.digits$} {unit}")
}

impl fmt::Display for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.value.unwrap_or(0.0);
        match self.is_bytes {
            true => write!(f, "{} {}", self.name, memory_size(value))?,
            false => write!(f, "{} {value:.0}", self.name)?,
        }
        match &self.process {
            Some(process) => write!(f, " of {process}"),
            None => Ok(()),
        }
    }
}

impl Condition {
    /// Reads a condition.
    ///
    /// # Errors
    /// The place where it is no condition, and the text that may be there.
    pub fn parse(text: &str) -> Result<Self, ConditionFault> {
        if text.chars().count() > MAX_CHARS {
            return Err(ConditionFault {
                at: MAX_CHARS + 1,
                expected: Expected::EndOfText,
            });
        }
        let mut rest = Rest { all: text, at: 0 };
        let (mut any, mut all) = (Vec::new(), Vec::new());
        let mut count = 0;
        loop {
            all.push(comparison(&mut rest)?);
            count += 1;
            rest.skip_space();
            if rest.left().is_empty() {
                break;
            }
            if count == MAX_COMPARISONS {
                return Err(rest.fault(Expected::EndOfComparisons));
            }
            if rest.take_name("or") {
                any.push(std::mem::take(&mut all));
            } else if !rest.take_name("and") {
                return Err(rest.fault(Expected::Joiner));
            }
        }
        any.push(all);
        Ok(Self {
            text: text.trim().to_owned(),
            any,
        })
    }

    /// The values that make it hold; `None` when it does not hold. `before` is the reading before, for
    /// counters.
    pub fn met(
        &self,
        reading: &NodeReading,
        before: Option<&NodeReading>,
    ) -> Option<Vec<Measured>> {
        let holding = self
            .any
            .iter()
            .find(|all| all.iter().all(|one| one.holds(reading, before)))?;
        let quantities = holding.iter().map(|one| one.quantity);
        Some(measured(quantities, reading, before))
    }

    /// The values of all quantities that it compares, each once.
    pub fn measured(&self, reading: &NodeReading, before: Option<&NodeReading>) -> Vec<Measured> {
        let quantities = self.any.iter().flatten().map(|one| one.quantity);
        measured(quantities, reading, before)
    }

    /// The quantities that it compares and that this reading does not have.
    pub fn unknown(
        &self,
        reading: &NodeReading,
        before: Option<&NodeReading>,
    ) -> Vec<&'static str> {
        let values = self.measured(reading, before).into_iter();
        values
            .filter(|one| one.value.is_none())
            .map(|one| one.name)
            .collect()
    }
}

fn measured(
    quantities: impl Iterator<Item = Quantity>,
    reading: &NodeReading,
    before: Option<&NodeReading>,
) -> Vec<Measured> {
    let mut each: Vec<Quantity> = Vec::new();
    for quantity in quantities {
        if !each.contains(&quantity) {
            each.push(quantity);
        }
    }
    let whose = |quantity: Quantity| match quantity {
        Quantity::Mailbox => reading.largest_mailbox_pid.map(pid_text),
        _ => None,
    };
    each.into_iter()
        .map(|quantity| Measured {
            name: quantity.name(),
            value: quantity.value(reading, before),
            is_bytes: quantity.is_bytes(),
            process: whose(quantity),
        })
        .collect()
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Comparison {
    fn holds(self, reading: &NodeReading, before: Option<&NodeReading>) -> bool {
        let value = self.quantity.value(reading, before);
        value.is_some_and(|value| self.operator.holds(value, self.bound))
    }
}

impl Quantity {
    fn name(self) -> &'static str {
        let named = QUANTITIES.iter().find(|(_, quantity, _)| *quantity == self);
        named.map_or("", |(name, ..)| name)
    }

    fn is_bytes(self) -> bool {
        let named = QUANTITIES.iter().find(|(_, quantity, _)| *quantity == self);
        named.is_some_and(|(.., is_bytes)| *is_bytes)
    }

    fn value(self, reading: &NodeReading, before: Option<&NodeReading>) -> Option<f64> {
        let per_second = |count: fn(&NodeReading) -> Option<u64>| {
            let before = before?;
            let length_ms = reading
                .at_ms
                .checked_sub(before.at_ms)
                .filter(|it| *it > 0)?;
            let more = count(reading)?.checked_sub(count(before)?)?;
            Some(more as f64 * 1000.0 / length_ms as f64)
        };
        match self {
            Self::Mailbox => reading.largest_mailbox.map(|it| it as f64),
            Self::Messages => reading.waiting_messages.map(|it| it as f64),
            Self::RunQueue => {
                let queues = [
                    reading.run_queue,
                    reading.dirty_cpu_run_queue,
                    reading.dirty_io_run_queue,
                ];
                let lengths = queues.into_iter().map(|it| it.map(|it| it as f64));
                lengths.sum()
            }
            Self::Memory => reading.memory_bytes.map(|it| it as f64),
            Self::Rss => reading.rss_bytes.map(|it| it as f64),
            Self::Processes => reading.processes.map(|it| it as f64),
            Self::Collections => per_second(|it| it.collections),
            Self::Reductions => per_second(|it| it.reductions),
        }
    }
}

/// A pid as the node prints it.
fn pid_text(pid: u64) -> String {
    let number = pid & ((1 << SERIAL_SHIFT) - 1);
    format!("<0.{number}.{}>", pid >> SERIAL_SHIFT)
}

fn comparison(rest: &mut Rest<'_>) -> Result<Comparison, ConditionFault> {
    rest.skip_space();
    let quantity = QUANTITIES
        .iter()
        .find(|(name, ..)| rest.take_name(name))
        .copied();
    let Some((_, quantity, is_bytes)) = quantity else {
        return Err(rest.fault(Expected::Quantity));
    };
    rest.skip_space();
    let operator = OPERATORS.iter().find(|(sign, _)| rest.take(sign));
    let Some((_, operator)) = operator else {
        return Err(rest.fault(Expected::Operator));
    };
    rest.skip_space();
    let bound = number(rest)?;
    let factor = match is_bytes {
        true => unit(rest),
        false => 1.0,
    };
    let bound = bound * factor;
    // A number and the text after it have to be apart.
    if rest
        .left()
        .starts_with(|c: char| c.is_alphanumeric() || c == '%')
    {
        return Err(rest.fault(match is_bytes {
            true => Expected::ByteUnit,
            false => Expected::NoUnit,
        }));
    }
    Ok(Comparison {
        quantity,
        operator: *operator,
        bound,
    })
}

fn number(rest: &mut Rest<'_>) -> Result<f64, ConditionFault> {
    match bound::number(rest.left()) {
        Some((value, length)) => {
            rest.at += length;
            Ok(value)
        }
        None => Err(rest.fault(Expected::Number)),
    }
}

fn unit(rest: &mut Rest<'_>) -> f64 {
    let spaces = rest.left().len() - rest.left().trim_start().len();
    let before = rest.at;
    rest.at += spaces;
    let found = BYTE_UNITS.iter().find(|(name, _)| rest.take_name(name));
    match found {
        Some((_, factor)) => *factor,
        None => {
            rest.at = before;
            1.0
        }
    }
}

/// The rest of a text.
struct Rest<'a> {
    all: &'a str,
    /// In bytes, at a character.
    at: usize,
}

impl<'a> Rest<'a> {
    fn left(&self) -> &'a str {
        self.all.get(self.at..).unwrap_or_default()
    }

    fn skip_space(&mut self) {
        self.at += self.left().len() - self.left().trim_start().len();
    }

    fn take(&mut self, text: &str) -> bool {
        let is_here = self.left().starts_with(text);
        if is_here {
            self.at += text.len();
        }
        is_here
    }

    /// In whatever case, and not the beginning of a longer word.
    fn take_name(&mut self, name: &str) -> bool {
        let is_here = behind_word(self.left(), name).is_some();
        if is_here {
            self.at += name.len();
        }
        is_here
    }

    fn fault(&self, expected: Expected) -> ConditionFault {
        let before = self.all.get(..self.at).unwrap_or_default();
        ConditionFault {
            at: before.chars().count() + 1,
            expected,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn reading() -> NodeReading {
        NodeReading {
            at_ms: 3000,
            run_queue: Some(15),
            dirty_cpu_run_queue: Some(5),
            dirty_io_run_queue: Some(1),
            largest_mailbox: Some(10_000),
            largest_mailbox_pid: Some(2 << 28 | 83),
            memory_bytes: Some(8_000_000_000),
            collections: Some(5000),
            ..NodeReading::default()
        }
    }

    fn met(text: &str) -> Option<String> {
        let before = NodeReading {
            at_ms: 1000,
            collections: Some(1000),
            ..NodeReading::default()
        };
        let met = Condition::parse(text)
            .unwrap()
            .met(&reading(), Some(&before));
        met.as_deref().map(in_words)
    }

    #[test]
    fn the_part_that_holds_is_named() {
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(met("mailbox > 9999"), some("mailbox 10000 of <0.83.2>"));
        assert_eq!(met("mailbox>10000"), None);
        assert_eq!(met("mailbox>1e4"), None);
        assert_eq!(met("memory>=8e9"), some("memory 8.00 GB"));
        assert_eq!(
            met("mailbox>10000 or runqueue>20 or memory>8GB"),
            some("runqueue 21")
        );
        assert_eq!(met("Memory >= 8 gb"), some("memory 8.00 GB"));
        assert_eq!(met("memory>7.5GiB"), None);
        assert_eq!(met("memory>7.4GiB"), some("memory 8.00 GB"));
        assert_eq!(met("collections/s>=2000"), some("collections/s 2000"));
        assert_eq!(
            met("processes>1 or mailbox>1 and runqueue<30"),
            some("mailbox 10000 of <0.83.2>, runqueue 21")
        );
        assert_eq!(met("mailbox>1 and runqueue<=20"), None);
        // A comparison without a value never holds.
        assert_eq!(met("rss>0 or rss<=0 or messages>0"), None);
    }

    #[test]
    fn quantities_that_a_reading_lacks_are_unknown() {
        let condition = Condition::parse("rss>1 or mailbox>1 or messages>1").unwrap();
        assert_eq!(condition.unknown(&reading(), None), ["rss", "messages"]);
    }

    #[test]
    fn each_quantity_of_a_condition_has_one_value() {
        let condition = Condition::parse("mailbox>9 or rss>1 or mailbox>1 and memory>1").unwrap();
        let measured = condition.measured(&reading(), None);
        let measured: Vec<_> = measured
            .iter()
            .map(|one| (one.name, one.value, one.is_bytes, one.process.as_deref()))
            .collect();
        assert_eq!(
            measured,
            [
                ("mailbox", Some(10_000.0), false, Some("<0.83.2>")),
                ("rss", None, true, None),
                ("memory", Some(8e9), true, None),
            ]
        );
    }

    #[test]
    fn bytes_have_a_unit_in_words() {
        let in_words_of = |name, value, is_bytes| {
            let process = None;
            in_words(&[Measured {
                name,
                value: Some(value),
                is_bytes,
                process,
            }])
        };
        assert_eq!(
            in_words_of("runqueue", 20_829_720.0, false),
            "runqueue 20829720"
        );
        for (bytes, text) in [
            (0.0, "memory 0 B"),
            (999.0, "memory 999 B"),
            (999.6, "memory 1.00 kB"),
            (20_829_720.0, "memory 20.8 MB"),
            (999_960_000.0, "memory 1.00 GB"),
            (123_456_000.0, "memory 123 MB"),
            (1.5e15, "memory 1500 TB"),
        ] {
            assert_eq!(in_words_of("memory", bytes, true), text);
        }
    }

    #[test]
    fn a_fault_names_its_place_and_the_words_that_may_be_there() {
        for (text, at, expected) in [
            ("", 1, "one of mailbox, messages"),
            ("mailboxes>1", 1, "one of mailbox"),
            ("mailbox", 8, "one of >, >="),
            ("mailbox=1", 8, "one of >, >="),
            ("mailbox>", 9, "a number"),
            ("mailbox>-1", 9, "a number"),
            ("mailbox>1e", 10, "a space"),
            ("mailbox>1GB", 10, "a space"),
            ("memory>8Gb/s", 9, "kB, MB"),
            ("memory>1 xor rss>1", 10, "\"or\", \"and\""),
            ("memory>1 or", 12, "one of mailbox"),
            ("größe>1", 1, "one of mailbox"),
            ("memory>1 orü", 10, "\"or\", \"and\""),
        ] {
            let fault = Condition::parse(text).unwrap_err();
            assert_eq!(fault.at, at, "{text}: {fault}");
            assert!(
                fault.expected.to_string().contains(expected),
                "{text}: {fault}"
            );
        }
        let many = ["rss>1"; 17].join(" or ");
        let fault = Condition::parse(&many).unwrap_err();
        assert!(fault.to_string().contains("at most 16 comparisons"));
        let long = format!("{}rss>1", " ".repeat(1000));
        let fault = Condition::parse(&long).unwrap_err();
        assert!(fault.to_string().contains("at most 1000 characters"));
    }

    proptest! {
        #[test]
        fn any_text_is_a_condition_or_a_fault_in_it(text in "[a-zA-Z0-9<>=. /ü]{0,60}|.{0,40}") {
            match Condition::parse(&text) {
                Ok(condition) => { condition.met(&reading(), None); }
                Err(fault) => prop_assert!(fault.at <= text.chars().count() + 1),
            }
        }

        #[test]
        fn what_is_made_of_words_never_panics(words in prop::collection::vec(
            prop_oneof![Just("mailbox"), Just(">"), Just(">="), Just("1"), Just(" or "), Just(" and "), Just("memory"), Just("8GB"), Just(" ")], 0..20)) {
            let _ = Condition::parse(&words.concat());
        }
    }
}
