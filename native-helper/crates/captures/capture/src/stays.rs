//! Long collections and calls: times in which samples of one scheduler show the same collection of the same process, or the
//! same call from Erlang into C code.
//!
//! A stay begins with the first of these samples and ends with the last. The collection or call lasted at least that long:
//! how much longer is not known, and neither is it whether it was at work all the time.

use std::cmp::{Ordering, Reverse};

use serde::{Deserialize, Serialize};
use shared_sort::SharedSort;

use crate::counted::counted;
use crate::pprof::Stay;
use crate::visible::shown_name;

/// Bytes of a text of a stay; one with a longer text is no stay.
const MAX_TEXT_BYTES: usize = 4096;

/// What kept the scheduler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StayKind {
    /// A collection; it is not known of which kind.
    Collection,
    /// A collection of the young heap.
    MinorCollection,
    /// A collection of the whole heap.
    MajorCollection,
    /// A call of a function of a NIF library.
    Nif,
    /// A call of a built-in function.
    Bif,
    /// A call of another function of the emulator.
    Native,
}

impl StayKind {
    /// Every kind, in the order of their numbers.
    pub const ALL: [Self; 6] = [
        Self::Collection,
        Self::MinorCollection,
        Self::MajorCollection,
        Self::Nif,
        Self::Bif,
        Self::Native,
    ];

    /// Its number in files.
    pub const fn number(self) -> u64 {
        match self {
            Self::Collection => 1,
            Self::MinorCollection => 2,
            Self::MajorCollection => 3,
            Self::Nif => 4,
            Self::Bif => 5,
            Self::Native => 6,
        }
    }

    /// The kind with this number, if there is one.
    pub fn of_number(number: u64) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.number() == number)
    }

    /// The name used in JSON: `minor_collection`, `nif`, ...
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Collection => "collection",
            Self::MinorCollection => "minor_collection",
            Self::MajorCollection => "major_collection",
            Self::Nif => "nif",
            Self::Bif => "bif",
            Self::Native => "native",
        }
    }

    /// Whether it is a collection, and no call.
    pub const fn is_collection(self) -> bool {
        matches!(
            self,
            Self::Collection | Self::MinorCollection | Self::MajorCollection
        )
    }

    const fn text(self) -> &'static str {
        match self {
            Self::Collection => "collection",
            Self::MinorCollection => "minor collection",
            Self::MajorCollection => "major collection",
            Self::Nif => "call of a NIF",
            Self::Bif => "call of a built-in function",
            Self::Native => "call of C code",
        }
    }
}

impl Stay {
    /// Whether it is a stay: the field is none of pprof's, and may be another program's.
    pub fn is_sensible(&self) -> bool {
        let texts = [
            &self.scheduler,
            &self.pid,
            &self.process,
            &self.function,
            &self.called,
        ];
        StayKind::of_number(self.kind).is_some()
            && self.samples >= 2
            && self.at_us.checked_add(self.lasts_us).is_some()
            && texts.iter().all(|text| text.len() <= MAX_TEXT_BYTES)
    }

    /// What kept the scheduler.
    pub fn kind(&self) -> StayKind {
        StayKind::of_number(self.kind).unwrap_or(StayKind::Native)
    }

    /// `major collection of <0.123.0> (shop) in shop:build/1`, for people.
    pub fn text(&self) -> String {
        let kind = self.kind();
        let mut text = kind.text().to_owned();
        if !kind.is_collection() && !self.called.is_empty() {
            text.push_str(": ");
            text.push_str(&shown_name(&self.called));
        }
        for (word, name) in [("of", &self.pid), ("in", &self.function)] {
            if !name.is_empty() {
                text = format!("{text} {word} {}", shown_name(name));
            }
            if word == "of" && !self.process.is_empty() {
                text = format!("{text} ({})", shown_name(&self.process));
            }
        }
        text
    }
}

/// Counts of the stays of a capture. Times are from the first sample of each to its last.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(default)]
pub struct StaysQuality {
    /// Two samples of a thread were so far apart at the lowest sampling rate so far, microseconds of processor time: each
    /// collection or call that is twice as long has two.
    pub period_us: u64,
    /// Collections.
    pub collections: u64,
    /// Their time, milliseconds.
    pub collections_ms: u64,
    /// Calls from Erlang code on a normal scheduler.
    pub calls: u64,
    /// Their time, milliseconds.
    pub calls_ms: u64,
    /// Stays that are counted alone, since there were longer ones in the same part of the capture.
    pub left_out: u64,
}

impl StaysQuality {
    /// The counts of the time after `earlier`.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        Self {
            period_us: self.period_us,
            collections: self.collections.saturating_sub(earlier.collections),
            collections_ms: self.collections_ms.saturating_sub(earlier.collections_ms),
            calls: self.calls.saturating_sub(earlier.calls),
            calls_ms: self.calls_ms.saturating_sub(earlier.calls_ms),
            left_out: self.left_out.saturating_sub(earlier.left_out),
        }
    }

    /// All of it in one line, for people, with the longest one; `None` where there were none.
    #[must_use]
    pub fn line(&self, longest: Option<&Stay>) -> Option<String> {
        let kinds = [
            (self.collections, "collection", self.collections_ms),
            (self.calls, "call", self.calls_ms),
        ];
        let kinds = kinds.into_iter().filter(|(count, ..)| *count > 0);
        let kinds: Vec<String> = kinds
            .map(|(count, noun, ms)| format!("{} ({})", counted(count, noun), at_least(ms)))
            .collect();
        if kinds.is_empty() {
            return None;
        }
        let longest = longest.map_or_else(String::new, |stay| {
            format!(
                "; longest: {}, {}, at {:.2} s",
                stay.text(),
                at_least(stay.lasts_us / 1000),
                stay.at_us as f64 / 1e6
            )
        });
        Some(format!(
            "long collections and calls: {}; of those below {} ms of processor time, not all{longest}",
            kinds.join(", "),
            self.period_us.saturating_mul(2) / 1000
        ))
    }
}

fn at_least(ms: u64) -> String {
    format!("at least {ms} ms")
}

/// A stay for programs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StayRow<'c> {
    /// When its first sample was taken, milliseconds after the start of the capture.
    pub at_ms: f64,
    /// From its first sample to its last one, milliseconds: it lasted at least that long.
    pub at_least_ms: f64,
    /// Samples that show it.
    pub samples: u64,
    /// What kept the scheduler.
    pub kind: &'static str,
    /// The scheduler.
    pub scheduler: &'c str,
    /// Pid; absent when not known.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub pid: &'c str,
    /// Registered name or initial call of the process; absent when not known.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub process: &'c str,
    /// The innermost Erlang function; absent when not known.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub function: &'c str,
    /// The line that ran there; absent when not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// The function that was called; absent when not known.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub called: &'c str,
}

impl<'c> From<&'c Stay> for StayRow<'c> {
    fn from(stay: &'c Stay) -> Self {
        Self {
            at_ms: stay.at_us as f64 / 1000.0,
            at_least_ms: stay.lasts_us as f64 / 1000.0,
            samples: stay.samples,
            kind: stay.kind().as_str(),
            scheduler: &stay.scheduler,
            pid: &stay.pid,
            process: &stay.process,
            function: &stay.function,
            line: (stay.line > 0).then_some(stay.line),
            called: &stay.called,
        }
    }
}

/// The longest of these, at most so many, the longest first.
pub fn longest(stays: &[Stay], most: usize) -> Vec<&Stay> {
    let mut stays: Vec<&Stay> = stays.iter().collect();
    stays.shared_sort_by_key(|stay| Reverse(stay.lasts_us));
    stays.truncate(most);
    stays
}

/// Leaves the longest, at most so many, in the order in which they were. Returns how many are left out.
pub fn keep_longest(stays: &mut Vec<Stay>, most: usize) -> usize {
    let left_out = stays.len().saturating_sub(most);
    if left_out > 0 {
        let mut lengths: Vec<u64> = stays.iter().map(|stay| stay.lasts_us).collect();
        lengths.shared_sort();
        let longest_left_out = lengths.get(left_out - 1).copied().unwrap_or(0);
        let longer = lengths.iter().filter(|length| **length > longest_left_out);
        // Of those that are as long as the longest that goes, the last ones go.
        let mut as_long = most.saturating_sub(longer.count());
        stays.retain(|stay| match stay.lasts_us.cmp(&longest_left_out) {
            Ordering::Less => false,
            Ordering::Equal => {
                let is_kept = as_long > 0;
                as_long = as_long.saturating_sub(1);
                is_kept
            }
            Ordering::Greater => true,
        });
    }
    left_out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stay(lasts_us: u64, kind: StayKind) -> Stay {
        Stay {
            at_us: 2_310_000,
            lasts_us,
            samples: 2,
            kind: kind.number(),
            scheduler: "1".to_owned(),
            pid: "<0.123.0>".to_owned(),
            process: "shop".to_owned(),
            function: "shop:build/1".to_owned(),
            line: 12,
            called: "lists:reverse/2".to_owned(),
        }
    }

    #[test]
    fn numbers_and_names_of_kinds_are_those_of_one_kind_each() {
        for kind in StayKind::ALL {
            assert_eq!(StayKind::of_number(kind.number()), Some(kind));
        }
        assert_eq!(StayKind::of_number(0), None);
        assert_eq!(StayKind::of_number(7), None);
    }

    #[test]
    fn what_makes_no_sense_is_no_stay() {
        let good = stay(1, StayKind::Nif);
        assert!(good.is_sensible());
        for bad in [
            Stay {
                samples: 1,
                ..good.clone()
            },
            Stay {
                kind: 99,
                ..good.clone()
            },
            Stay {
                at_us: u64::MAX,
                ..good.clone()
            },
            Stay {
                called: "x".repeat(MAX_TEXT_BYTES + 1),
                ..good.clone()
            },
            Stay::default(),
        ] {
            assert!(!bad.is_sensible(), "{bad:?}");
        }
    }

    #[test]
    fn a_line_has_the_counts_and_the_longest_one() {
        let counts = StaysQuality {
            period_us: 10_101,
            collections: 3,
            collections_ms: 420,
            calls: 1,
            calls_ms: 15,
            left_out: 0,
        };
        assert_eq!(
            counts
                .line(Some(&stay(340_000, StayKind::MajorCollection)))
                .unwrap(),
            "long collections and calls: 3 collections (at least 420 ms), 1 call (at least 15 ms); of those below 20 ms \
             of processor time, not all; longest: major collection of <0.123.0> (shop) in shop:build/1, at least 340 ms, \
             at 2.31 s"
        );
        assert_eq!(StaysQuality::default().line(None), None);
        let earlier = StaysQuality {
            collections: 2,
            collections_ms: 400,
            ..counts
        };
        let rest = counts.since(&earlier);
        assert_eq!((rest.collections, rest.collections_ms), (1, 20));
        assert_eq!((rest.calls, rest.period_us), (0, 10_101));
    }

    #[test]
    fn a_call_is_named_with_the_function_that_was_called() {
        let named = stay(1, StayKind::Bif);
        let text =
            "call of a built-in function: lists:reverse/2 of <0.123.0> (shop) in shop:build/1";
        assert_eq!(named.text(), text);
        let bare = Stay {
            pid: String::new(),
            process: String::new(),
            function: String::new(),
            ..stay(1, StayKind::Collection)
        };
        assert_eq!(bare.text(), "collection");
    }

    #[test]
    fn the_longest_stay_in_their_order() {
        let lengths = |most| {
            let mut stays: Vec<Stay> = [5, 1, 3, 5, 3, 9]
                .map(|lasts_us| stay(lasts_us, StayKind::Nif))
                .into();
            let left_out = keep_longest(&mut stays, most);
            (
                left_out,
                stays.iter().map(|stay| stay.lasts_us).collect::<Vec<_>>(),
            )
        };
        assert_eq!(lengths(6), (0, vec![5, 1, 3, 5, 3, 9]));
        assert_eq!(lengths(4), (2, vec![5, 3, 5, 9]));
        assert_eq!(lengths(2), (4, vec![5, 9]));
        assert_eq!(lengths(0), (6, vec![]));
    }
}
