//! Functions by the text of their bodies.

use source_texts::Definition;

use super::line_map::likeness;
use crate::identity::FunctionId;

/// From here on a body is the same one.
const ALIKE: f64 = 0.8;
/// The next best has to be worse by this much, or it is not known which it is.
const MARGIN: f64 = 0.1;
/// Less text than this, with a blank behind each word and sign, is alike by chance.
const LEAST_CHARACTERS: usize = 40;
/// No more lines of a function are compared with those of another.
pub const MOST_LINES: usize = 2_000;

/// The lines of a function, without what a change of its name or layout changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Body {
    lines: Vec<String>,
    /// Lines behind these.
    pub left_out: usize,
}

impl Body {
    /// `None` of a function with so little text that others are like it by chance.
    pub fn of(definition: &Definition<'_>) -> Option<Self> {
        let mut lines = definition.lines();
        let left_out = lines.len().saturating_sub(MOST_LINES);
        lines.truncate(MOST_LINES);
        let characters: usize = lines.iter().map(String::len).sum();
        (characters >= LEAST_CHARACTERS).then_some(Self { lines, left_out })
    }
}

/// Pairs of functions that are alike and have no other that is nearly as much, each at most once.
pub fn most_alike(
    base: &[(FunctionId, Body)],
    new: &[(FunctionId, Body)],
) -> Vec<(FunctionId, FunctionId)> {
    let best_for = |body: &Body, others: &[(FunctionId, Body)]| {
        let mut best: Option<(FunctionId, f64)> = None;
        let mut second = 0.0;
        for (id, other) in others {
            let alike = match may_be_alike(body, other) {
                true => likeness(&body.lines, &other.lines),
                false => 0.0,
            };
            match best {
                Some((_, most)) if alike <= most => second = f64::max(second, alike),
                _ => {
                    second = best.map_or(0.0, |(_, most)| most);
                    best = Some((*id, alike));
                }
            }
        }
        best.filter(|(_, most)| *most >= ALIKE && most - second >= MARGIN)
            .map(|(id, _)| id)
    };
    let mut pairs = Vec::new();
    for (id, body) in base {
        let Some(found) = best_for(body, new) else {
            continue;
        };
        let other = new.iter().find(|(other, _)| *other == found);
        // It has to be so from both ends.
        if other.and_then(|(_, other)| best_for(other, base)) == Some(*id) {
            pairs.push((*id, found));
        }
    }
    pairs
}

/// A cheap check: twice as long can never be alike enough.
fn may_be_alike(a: &Body, b: &Body) -> bool {
    let (a, b) = (a.lines.len() as f64, b.lines.len() as f64);
    2.0 * a.min(b) / (a + b) >= ALIKE
}
