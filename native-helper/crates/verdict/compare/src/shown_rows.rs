//! Which rows a reader gets to see, in which order, and how many: the same for all outputs.

use shared_map::{HashMap, HashSet};
use shared_sort::SharedSort;

use crate::answer::{Comparison, FunctionChange};
use crate::moved::Moved;
use crate::row_group::RowGroup;

/// The rows that a reader requests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Choice {
    /// Rows without a change, wrappers and the inside of the runtime, too.
    pub all: bool,
    /// No more than this; `None` for no limit.
    pub most: Option<usize>,
}

/// The rows to show.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ShownRows<'c> {
    /// In their order.
    pub rows: Vec<ShownRow<'c>>,
    /// Rows beyond the requested number.
    pub more: usize,
    /// Changes inside of the runtime that are not shown.
    pub inside_runtime: usize,
}

/// A row to show.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ShownRow<'c> {
    /// The row.
    pub row: &'c FunctionChange,
    /// Callers that do nothing but call it and have its total, and so no row of their own.
    pub callers: usize,
}

impl ShownRows<'_> {
    /// `12 more, 3 inside of the runtime`; `None` where everything is shown.
    pub fn not_shown(&self) -> Option<String> {
        let more = (self.more > 0).then(|| format!("{} more", self.more));
        let inside = (self.inside_runtime > 0)
            .then(|| format!("{} inside of the runtime", self.inside_runtime));
        let parts: Vec<String> = more.into_iter().chain(inside).collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }
}

/// Changes first, the user's own before others, those that work which moved explains after others, the larger
/// difference before the smaller.
pub(crate) fn in_order(mut functions: Vec<FunctionChange>, moved: &[Moved]) -> Vec<FunctionChange> {
    let of_moved = moved
        .iter()
        .flat_map(|it| [&it.function, &it.to].into_iter().chain(&it.from));
    let explained: HashSet<&str> = of_moved.map(String::as_str).collect();
    let is_explained = |row: &FunctionChange| explained.contains(row.function.as_str());
    functions.shared_sort_by(|a, b| {
        let size = |row: &FunctionChange| row.headline().difference().abs();
        let is_change = |row: &FunctionChange| row.headline().verdict.is_change();
        let order = is_change(b).cmp(&is_change(a));
        order
            .then_with(|| a.group.cmp(&b.group))
            .then_with(|| is_explained(a).cmp(&is_explained(b)))
            .then_with(|| size(b).total_cmp(&size(a)))
            .then_with(|| a.function.cmp(&b.function))
    });
    functions
}

/// Chooses among the rows of a comparison.
pub fn shown_rows(comparison: &Comparison, choice: Choice) -> ShownRows<'_> {
    let functions = comparison.functions.iter();
    let (candidates, inside_runtime, callers) = match choice.all {
        true => (functions.collect(), 0, HashMap::new()),
        false => {
            let changed = functions.filter(|row| row.headline().verdict.is_change());
            let (visible, inside_runtime) = without_runtime(changed.collect());
            let (visible, callers) = folded(visible);
            (visible, inside_runtime, callers)
        }
    };
    let most = choice.most.unwrap_or(usize::MAX);
    let shown = candidates.iter().take(most).map(|row| ShownRow {
        row,
        callers: callers.get(row.function.as_str()).copied().unwrap_or(0),
    });
    ShownRows {
        rows: shown.collect(),
        more: candidates.len().saturating_sub(most),
        inside_runtime,
    }
}

/// The changes that a reader gets to see without a request for all.
pub(crate) fn shown_changes(comparison: &Comparison) -> Vec<&FunctionChange> {
    let shown = shown_rows(comparison, Choice::default());
    shown.rows.iter().map(|shown| shown.row).collect()
}

/// Without the inside of the runtime, and how many that were; all where there is nothing else.
fn without_runtime(changed: Vec<&FunctionChange>) -> (Vec<&FunctionChange>, usize) {
    let is_inside = |row: &&FunctionChange| row.group == RowGroup::Runtime;
    match changed.iter().all(is_inside) {
        true => (changed, 0),
        false => {
            let (inside, visible): (Vec<_>, Vec<_>) = changed.into_iter().partition(is_inside);
            (visible, inside.len())
        }
    }
}

/// Without wrappers of functions that are shown anyway, and how many wrappers each has.
fn folded(changed: Vec<&FunctionChange>) -> (Vec<&FunctionChange>, HashMap<&str, usize>) {
    let by_name: HashMap<&str, &FunctionChange> = changed
        .iter()
        .map(|row| (row.function.as_str(), *row))
        .collect();
    let mut callers: HashMap<&str, usize> = HashMap::new();
    let stays = |row: &&FunctionChange| {
        let wrapped = row.wrapper_of.as_deref().and_then(|name| by_name.get(name));
        match wrapped.filter(|wrapped| is_folded_into(row, wrapped)) {
            Some(wrapped) => {
                *callers.entry(wrapped.function.as_str()).or_default() += 1;
                false
            }
            None => true,
        }
    };
    let rows = changed.into_iter().filter(stays).collect();
    (rows, callers)
}

/// Whether the row adds nothing to the other, whose headline may be of another column. The user's own is not hidden
/// behind others', and touched functions not behind others.
fn is_folded_into(row: &FunctionChange, wrapped: &FunctionChange) -> bool {
    let (column, change) = row.headline_column();
    let verdicts = [wrapped.total.verdict, wrapped.headline().verdict];
    let is_as_shown = verdicts.iter().all(|it| *it == change.verdict);
    let is_touched = |row: &FunctionChange| row.touched == Some(true);
    let hides_touched = is_touched(row) && !is_touched(wrapped);
    column == "total" && is_as_shown && wrapped.group <= row.group && !hides_touched
}
