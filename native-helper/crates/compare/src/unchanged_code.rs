//! Functions whose code is the same on both sides, with all that they call.

use std::collections::HashMap;

use capture::sample::FrameKind;

use crate::call_graph::CallGraph;
use crate::counts::SideCounts;
use crate::row::Row;
use crate::side::Side;
use crate::source_code::is_same_code;
use crate::sources::SourceTexts;

/// Looks functions up, each once.
pub struct UnchangedCode<'a> {
    base: &'a SideCounts,
    new: &'a SideCounts,
    texts: &'a SourceTexts,
    /// Both sides ran the same release, and so the same code of OTP and of the emulator.
    same_release: bool,
    known: HashMap<usize, bool>,
}

impl<'a> UnchangedCode<'a> {
    pub fn new(
        base: (&Side<'_>, &'a SideCounts),
        new: (&Side<'_>, &'a SideCounts),
        texts: &'a SourceTexts,
    ) -> Self {
        let of_base = release(base.0);
        Self {
            base: base.1,
            new: new.1,
            texts,
            same_release: of_base.is_some() && of_base == release(new.0),
            known: HashMap::new(),
        }
    }

    /// Whether the code of a row, and that of all that it calls in the samples of either side, is
    /// known to be the same.
    pub fn with_all_it_calls(&mut self, rows: &[Row], calls: &CallGraph, row: usize) -> bool {
        let mut reached = vec![false; rows.len()];
        let mut to_visit = vec![row];
        while let Some(row) = to_visit.pop() {
            if std::mem::replace(&mut reached[row], true) {
                continue;
            }
            if !self.is_same(rows, row) {
                return false;
            }
            let callees = calls.of_caller(row).iter();
            to_visit.extend(callees.map(|each| each.call.callee));
        }
        true
    }

    fn is_same(&mut self, rows: &[Row], row: usize) -> bool {
        if let Some(known) = self.known.get(&row) {
            return *known;
        }
        let is_same = self.compared(&rows[row]);
        self.known.insert(row, is_same);
        is_same
    }

    fn compared(&self, row: &Row) -> bool {
        let (Some(base), Some(new)) = (row.functions.base, row.functions.new) else {
            return false;
        };
        let (base, new) = (self.base.catalogue.get(base), self.new.catalogue.get(new));
        let has_text = self.texts.base_of(base).is_some() || self.texts.new_of(new).is_some();
        if has_text {
            return is_same_code(base, new, self.texts);
        }
        // OTP's own modules name their files without a folder; BIFs are the emulator's.
        let is_of_otp = |file: &str| !file.is_empty() && !file.contains(['/', '\\']);
        self.same_release
            && base.identity == new.identity
            && (base.kind == FrameKind::Bif || is_of_otp(&base.file) && is_of_otp(&new.file))
    }
}

/// The release that all captures of a side ran.
fn release(side: &Side<'_>) -> Option<String> {
    let mut releases = side
        .captures
        .iter()
        .map(|given| Some(given.capture.target()?.otp_release));
    let first = releases.next()??;
    let is_one = releases.all(|release| release.as_ref() == Some(&first));
    (is_one && !first.is_empty()).then_some(first)
}
