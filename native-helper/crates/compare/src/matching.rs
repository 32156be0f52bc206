//! Which function of the older side is which of the newer one.
//!
//! The surest way comes first, and what one way has matched no later one touches. What stays
//! unmatched stays so: it is new or gone.

mod body;
mod closures;
mod erlang_name;
mod line_map;

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use self::body::Body;
pub(crate) use self::body::form_at;
pub(crate) use self::erlang_name::ErlangName;
use crate::identity::{Catalogue, FunctionId, Identity};
use crate::sources::SourceTexts;

/// How a function was found on the other side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum MatchedBy {
    /// Module, name and arity; the name of a C function.
    Name,
    /// C code without a name, by who calls it.
    Caller,
    /// A closure or comprehension that has another number now, by its line.
    Closure,
    /// Its file, and so its module, was renamed.
    RenamedFile,
    /// Another name or module, the same lines.
    Body,
    /// The only function of that name in the module, with another arity.
    Arity,
}

/// A function of both sides, or of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Match {
    pub base: Option<FunctionId>,
    pub new: Option<FunctionId>,
    /// `None` for a function of one side.
    pub by: Option<MatchedBy>,
}

/// Bodies are held against each other pair by pair.
const MOST_BODIES: usize = 300;

/// Matches all functions of both sides.
pub fn match_functions(base: &Catalogue, new: &Catalogue, texts: &SourceTexts) -> Vec<Match> {
    let mut matching = Matching::new(base, new, texts);
    matching.closures_by_line();
    matching.by_name();
    matching.by_renamed_file();
    matching.by_body();
    matching.by_arity();
    matching.finish()
}

struct Matching<'a> {
    base: &'a Catalogue,
    new: &'a Catalogue,
    texts: &'a SourceTexts,
    matches: Vec<Match>,
    base_taken: Vec<bool>,
    new_taken: Vec<bool>,
}

impl<'a> Matching<'a> {
    fn new(base: &'a Catalogue, new: &'a Catalogue, texts: &'a SourceTexts) -> Self {
        Self {
            base,
            new,
            texts,
            matches: Vec::with_capacity(base.len().max(new.len())),
            base_taken: vec![false; base.len()],
            new_taken: vec![false; new.len()],
        }
    }

    fn take(&mut self, base: FunctionId, new: FunctionId, by: MatchedBy) {
        self.base_taken[base.as_usize()] = true;
        self.new_taken[new.as_usize()] = true;
        self.matches.push(Match {
            base: Some(base),
            new: Some(new),
            by: Some(by),
        });
    }

    fn base_left(&self) -> Vec<FunctionId> {
        let all = self.base.iter().map(|(id, _)| id);
        all.filter(|id| !self.base_taken[id.as_usize()]).collect()
    }

    fn new_left(&self) -> Vec<FunctionId> {
        let all = self.new.iter().map(|(id, _)| id);
        all.filter(|id| !self.new_taken[id.as_usize()]).collect()
    }

    /// Before names: the number in the name of a closure is only its place among its siblings.
    fn closures_by_line(&mut self) {
        for (base, new) in closures::by_line(self.base, self.new, self.texts) {
            let same_name = self.base.get(base).identity == self.new.get(new).identity;
            let by = match same_name {
                true => MatchedBy::Name,
                false => MatchedBy::Closure,
            };
            self.take(base, new, by);
        }
    }

    fn by_name(&mut self) {
        for base in self.base_left() {
            let identity = &self.base.get(base).identity;
            let Some(new) = self
                .new
                .find(identity)
                .filter(|id| !self.new_taken[id.as_usize()])
            else {
                continue;
            };
            let by = match identity.is_unnamed() {
                true => MatchedBy::Caller,
                false => MatchedBy::Name,
            };
            self.take(base, new, by);
        }
    }

    /// `shop:price/1` of `shop.erl` is `store:price/1` once git says that the file is `store.erl` now.
    fn by_renamed_file(&mut self) {
        let mut modules: HashMap<&str, Vec<FunctionId>> = HashMap::new();
        let new_left = self.new_left();
        for id in &new_left {
            let known = self.new.get(*id);
            if self.texts.new_of(known).is_some() && known.identity.is_erlang() {
                modules.entry(known.file.as_str()).or_default().push(*id);
            }
        }
        let mut found = Vec::new();
        for base in self.base_left() {
            let known = self.base.get(base);
            let (Some(file), Some(name)) = (
                self.texts.base_of(known),
                ErlangName::parse(&known.identity.name),
            ) else {
                continue;
            };
            let candidates = modules.values().flatten().filter(|id| {
                let other = self.new.get(**id);
                let same_file = self.texts.new_of(other);
                let is_renamed = same_file.is_some_and(|new| self.texts.is_renamed(file, new));
                let other_name = ErlangName::parse(&other.identity.name);
                is_renamed && other_name.is_some_and(|other| other.is_same_but_module(&name))
            });
            let candidates: Vec<_> = candidates.copied().collect();
            if let [only] = candidates.as_slice() {
                found.push((base, *only));
            }
        }
        for (base, new) in found {
            if !self.new_taken[new.as_usize()] {
                self.take(base, new, MatchedBy::RenamedFile);
            }
        }
    }

    fn by_body(&mut self) {
        let bodies = |catalogue: &Catalogue, left: Vec<FunctionId>, of_base: bool| {
            let with_text = left.into_iter().filter_map(|id| {
                let known = catalogue.get(id);
                let file = match of_base {
                    true => self.texts.base_of(known),
                    false => self.texts.new_of(known),
                }?;
                Some((id, Body::of(known, file)?))
            });
            with_text.take(MOST_BODIES).collect::<Vec<_>>()
        };
        let base = bodies(self.base, self.base_left(), true);
        let new = bodies(self.new, self.new_left(), false);
        for (base, new) in body::most_alike(&base, &new) {
            self.take(base, new, MatchedBy::Body);
        }
    }

    fn by_arity(&mut self) {
        let mut found = Vec::new();
        let new_left = self.new_left();
        let base_left = self.base_left();
        let names = |catalogue: &'a Catalogue, ids: &[FunctionId]| {
            let mut names: HashMap<(&'a str, &'a str), Vec<FunctionId>> = HashMap::new();
            for id in ids {
                let known = catalogue.get(*id);
                if !known.identity.is_erlang() {
                    continue;
                }
                if let Some(name) = ErlangName::parse(&known.identity.name) {
                    names
                        .entry((name.module, name.function))
                        .or_default()
                        .push(*id);
                }
            }
            names
        };
        let of_new = names(self.new, &new_left);
        for (name, base) in names(self.base, &base_left) {
            if let ([base], Some([new])) = (base.as_slice(), of_new.get(&name).map(Vec::as_slice)) {
                found.push((*base, *new));
            }
        }
        for (base, new) in found {
            self.take(base, new, MatchedBy::Arity);
        }
    }

    fn finish(mut self) -> Vec<Match> {
        let gone = self.base_left().into_iter().map(|id| (Some(id), None));
        let appeared = self.new_left().into_iter().map(|id| (None, Some(id)));
        let alone: Vec<_> = gone.chain(appeared).collect();
        self.matches
            .extend(alone.into_iter().map(|(base, new)| Match {
                base,
                new,
                by: None,
            }));
        self.matches
    }
}

/// Whether the sides have a function of Erlang in common, called the same.
pub fn share_erlang(base: &Catalogue, new: &Catalogue) -> bool {
    let erlang =
        |identity: &Identity| identity.is_erlang() && !identity.name.starts_with("global::");
    let mut of_base = base.iter().map(|(_, function)| &function.identity);
    of_base.any(|identity| erlang(identity) && new.find(identity).is_some())
}
