//! Changes that a share claims and processor time does not: a share grows when others shrink.

use std::borrow::Cow;

use capture::visible::shown_name;
use shared_map::HashMap;

use crate::answer::{Change, FunctionChange};
use crate::measure::Measure;
use crate::note_words::in_words;
use crate::notes::{Note, NoteKind};
use crate::row::Row;
use crate::verdicts::Verdict;

/// Names that a note gives.
const NAMED: usize = 3;

/// How many figures changed by the normalisation shown, and not so by an absolute one.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Disagreement {
    /// Columns: self, total, own.
    counts: [usize; 3],
    /// Functions of which the one claims the contrary of the other.
    contrary: Vec<String>,
    /// The first function of all.
    first: String,
}

impl Disagreement {
    pub fn between<'r>(shown: &'r [Row], absolute: &'r [Row]) -> Self {
        let changes = |rows: &'r [Row]| rows.iter().map(|row| &row.change);
        let key = |row: &FunctionChange| (row.function.clone(), row.base_function.clone());
        let others: HashMap<_, _> = changes(absolute).map(|row| (key(row), row)).collect();
        let mut found = Self::default();
        for row in changes(shown) {
            let Some(other) = others.get(&key(row)) else {
                continue;
            };
            let columns = [
                (Some(&row.itself), Some(&other.itself)),
                (Some(&row.total), Some(&other.total)),
                (row.own.as_ref(), other.own.as_ref()),
            ];
            for (count, both) in found.counts.iter_mut().zip(columns) {
                let (Some(shown), Some(absolute)) = both else {
                    continue;
                };
                if !differ(shown, absolute) {
                    continue;
                }
                *count += 1;
                if found.first.is_empty() {
                    found.first.clone_from(&row.function);
                }
                let is_named = found.contrary.last() == Some(&row.function);
                if !is_named && are_contrary(shown, absolute) {
                    found.contrary.push(row.function.clone());
                }
            }
        }
        found
    }

    /// In words, where there is any.
    pub fn note(&self, shown: Measure, absolute: Measure) -> Option<Note> {
        let all: usize = self.counts.iter().sum();
        if all == 0 {
            return None;
        }
        let [itself, total, own] = self.counts;
        let kind = match (shown, absolute) {
            (Measure::Share, Measure::Work) => NoteKind::ShareAgainstWork,
            (Measure::Cpu, _) => NoteKind::LoadAgainstWork,
            _ => NoteKind::Disagreement,
        };
        let values = [
            all.to_string(),
            self.first.clone(),
            itself.to_string(),
            total.to_string(),
            own.to_string(),
            self.contrary.len().to_string(),
            self.contrary_names(|name| name.into()),
        ];
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        let first = shown_name(&self.first);
        let mut shown = values.clone();
        shown[1] = first.as_ref();
        let mut text = in_words(kind, &shown);
        if all == 1 {
            text = text.replacen(" figures ", " figure ", 1);
        }
        let functions = match self.contrary.len() {
            0 => None,
            1 => Some("1 function".to_owned()),
            many => Some(format!("{many} functions")),
        };
        if let Some(functions) = functions {
            let names = self.contrary_names(shown_name);
            text += &format!(". {functions} changed in the opposite direction: {names}");
        }
        Some(Note::new(kind, &values, text))
    }

    fn contrary_names(&self, as_shown: impl Fn(&str) -> Cow<'_, str>) -> String {
        let named = self.contrary.iter().take(NAMED);
        named
            .map(|name| as_shown(name))
            .collect::<Vec<_>>()
            .join(", ")
    }
}

fn is_claim(change: &Change) -> bool {
    matches!(change.verdict, Verdict::Slower | Verdict::Faster)
}

fn differ(shown: &Change, absolute: &Change) -> bool {
    is_claim(shown) && shown.verdict != absolute.verdict
}

fn are_contrary(shown: &Change, absolute: &Change) -> bool {
    is_claim(shown) && is_claim(absolute) && shown.verdict != absolute.verdict
}
