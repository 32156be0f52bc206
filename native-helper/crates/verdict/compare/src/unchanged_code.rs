//! Functions whose code is the same on both sides, alone or with all that they call.

use std::collections::HashMap;

use capture::sample::FrameKind;

use crate::call_graph::CallGraph;
use crate::counts::SideCounts;
use crate::identity::KnownFunction;
use crate::matching::ErlangName;
use crate::row::Row;
use crate::side::Side;
use crate::source_code::{has_same_code, is_same_code};
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

    /// Whether the code of a row differs between the commits of both sides: `None` where that is not known, as of
    /// functions whose text neither commit has. A text that differs is not proven to leave the function alone
    /// where the function cannot be found in it.
    pub fn is_touched(&mut self, rows: &[Row], row: usize) -> Option<bool> {
        if self.texts.base.is_empty() || self.texts.new.is_empty() {
            return None;
        }
        let functions = &rows[row].functions;
        let base = functions.base.map(|id| self.base.catalogue.get(id));
        let new = functions.new.map(|id| self.new.catalogue.get(id));
        match (base, new) {
            (Some(base), Some(new)) => {
                if self.is_same(rows, row) {
                    return Some(false);
                }
                self.has_text(base, new).then_some(true)
            }
            (Some(only), None) => {
                let (here, there) = (self.texts.base_of(only)?, self.texts.new_of(only)?);
                Some(!has_same_code(only, here, there))
            }
            (None, Some(only)) => {
                let (here, there) = (self.texts.new_of(only)?, self.texts.base_of(only)?);
                Some(!has_same_code(only, here, there))
            }
            (None, None) => None,
        }
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
        if self.is_same_build(base, new) {
            return true;
        }
        if self.has_text(base, new) {
            return is_same_code(base, new, self.texts);
        }
        // OTP's own modules name their files without a folder; BIFs are the emulator's.
        let is_of_otp = |file: &str| !file.is_empty() && !file.contains(['/', '\\']);
        self.same_release
            && base.identity == new.identity
            && (base.kind == FrameKind::Bif || is_of_otp(&base.file) && is_of_otp(&new.file))
    }

    fn has_text(&self, base: &KnownFunction, new: &KnownFunction) -> bool {
        self.texts.base_of(base).is_some() || self.texts.new_of(new).is_some()
    }

    /// Whether both sides ran the same build of the module, whatever its text.
    fn is_same_build(&self, base: &KnownFunction, new: &KnownFunction) -> bool {
        let name = ErlangName::parse(&base.identity.name).filter(|_| base.identity.is_erlang());
        let builds = (&self.base.catalogue.builds, &self.new.catalogue.builds);
        base.identity == new.identity
            && name.is_some_and(|name| builds.0.is_same(builds.1, name.module))
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
