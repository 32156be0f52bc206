//! Which function of the older side is which of the newer one.
//!
//! The surest way comes first, and what one way has matched no later one touches. A function that
//! stays unmatched is new or gone, or its counterpart is not known.

mod arity;
mod body;
mod callers;
mod closures;
mod families;
mod line_map;
mod partners;
mod renamed_file;
mod shown_names;

use serde::{Deserialize, Serialize};
use shared_map::HashMap;

use self::arity::by_arity;
use self::body::{Body, MOST_LINES};
use self::callers::by_caller;
use self::families::{Families, OnNew};
use self::partners::Evidence;
use self::renamed_file::by_renamed_file;
use self::shown_names::by_shown_name;
use crate::code::Code;
use crate::cuts::Cuts;
use crate::erlang_name::ErlangName;
use crate::identity::{Catalogue, FunctionId, Identity};
use crate::notes::NoteKind;
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
    /// Another name, module or arity, the same lines or words.
    Body,
    /// Another arity, and the same place among the functions of its name in the source.
    Position,
    /// The only function of that name in the module, with another arity.
    Arity,
}

/// Why it is not known whether a function has a counterpart on the other side, and which.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Unmatched {
    /// Several functions of its name have other arities there.
    ArityChanged,
    /// The other side has several that are shown as the same, or does not distinguish them.
    NotToldApart,
}

/// A function of both sides, or of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Match {
    pub base: Option<FunctionId>,
    pub new: Option<FunctionId>,
    /// `None` for a function of one side.
    pub by: Option<MatchedBy>,
    /// Of a function of one side that is neither new nor gone for certain.
    pub unmatched: Option<Unmatched>,
    /// Of a function that one side alone has samples of: the code of the other side has it, too.
    pub is_defined_there: bool,
}

/// All functions of both sides.
#[derive(Debug)]
pub struct Matched {
    pub functions: Vec<Match>,
    /// The parts that were not compared.
    pub cuts: Cuts,
}

/// Bodies are compared pair by pair.
const MOST_BODIES: usize = 300;

/// Matches all functions of both sides.
pub fn match_functions(
    base: &Catalogue,
    new: &Catalogue,
    texts: &SourceTexts,
    code: &Code<'_>,
) -> Matched {
    let mut matching = Matching::new(base, new, texts);
    let families = Families::of(base, new, texts, code, &mut matching.cuts);
    matching.closures_by_line();
    matching.by_name(&families);
    matching.by_shown_name();
    matching.by_renamed_file();
    matching.by_body(code);
    matching.by_arity(code);
    matching.by_caller();
    matching.finish(code)
}

/// Why a function has no partner.
#[derive(Debug, Clone, Copy)]
enum Alone {
    /// The other side does not have it.
    NotThere,
    /// The other side has it, and no sample of it.
    NotSampled,
    /// Not known.
    Unclear(Unmatched),
}

impl Alone {
    fn of(self, base: Option<FunctionId>, new: Option<FunctionId>) -> Match {
        Match {
            base,
            new,
            by: None,
            unmatched: match self {
                Self::Unclear(why) => Some(why),
                Self::NotThere | Self::NotSampled => None,
            },
            is_defined_there: matches!(self, Self::NotSampled),
        }
    }

    const fn by_code(has_it: bool) -> Self {
        match has_it {
            true => Self::NotSampled,
            false => Self::NotThere,
        }
    }
}

struct Matching<'a> {
    base: &'a Catalogue,
    new: &'a Catalogue,
    texts: &'a SourceTexts,
    matches: Vec<Match>,
    base_taken: Vec<bool>,
    new_taken: Vec<bool>,
    cuts: Cuts,
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
            cuts: Cuts::default(),
        }
    }

    fn take(&mut self, base: FunctionId, new: FunctionId, by: MatchedBy) {
        self.base_taken[base.as_usize()] = true;
        self.new_taken[new.as_usize()] = true;
        self.matches.push(Match {
            base: Some(base),
            new: Some(new),
            by: Some(by),
            unmatched: None,
            is_defined_there: false,
        });
    }

    fn take_free(&mut self, pairs: Vec<(FunctionId, FunctionId)>, by: MatchedBy) {
        for (base, new) in pairs {
            if !self.base_taken[base.as_usize()] && !self.new_taken[new.as_usize()] {
                self.take(base, new, by);
            }
        }
    }

    /// No later way is to look at a function of the older side.
    fn leave_base(&mut self, base: FunctionId, why: Alone) {
        self.base_taken[base.as_usize()] = true;
        self.matches.push(why.of(Some(base), None));
    }

    /// The same of the newer side.
    fn leave_new(&mut self, new: FunctionId, why: Alone) {
        self.new_taken[new.as_usize()] = true;
        self.matches.push(why.of(None, Some(new)));
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

    /// By the name that each has on the other side, which is another in a family whose arities shifted.
    fn by_name(&mut self, families: &Families<'_>) {
        for base in self.base_left() {
            let identity = &self.base.get(base).identity;
            let (called, by) = match families.on_new(identity) {
                OnNew::TheSame => {
                    self.by_same_name(base);
                    continue;
                }
                OnNew::Called(called, _) if called == *identity => (called, MatchedBy::Name),
                OnNew::Called(called, evidence) => (called, by_evidence(evidence)),
                OnNew::Nothing => {
                    self.leave_base(base, Alone::NotThere);
                    continue;
                }
                OnNew::Unclear => {
                    self.leave_base(base, Alone::Unclear(Unmatched::ArityChanged));
                    continue;
                }
            };
            match self.find_new(&called) {
                Some(new) => self.take(base, new, by),
                None if is_closure(&called) => {
                    if let Some(new) = self.find_new_of_other_arity(&called) {
                        self.take(base, new, MatchedBy::Arity);
                    }
                }
                None => self.leave_base(base, Alone::NotSampled),
            }
        }
        for new in self.new_left() {
            let identity = &self.new.get(new).identity;
            if let Some(is_unclear) = families.is_unclear_on_new(identity) {
                let why = match is_unclear {
                    true => Alone::Unclear(Unmatched::ArityChanged),
                    false => Alone::NotThere,
                };
                self.leave_new(new, why);
            }
        }
    }

    fn by_same_name(&mut self, base: FunctionId) {
        let identity = &self.base.get(base).identity;
        // Of C code without a name it has to be known first who its caller is.
        if let Some(new) = self.find_new(identity).filter(|_| !identity.is_unnamed()) {
            self.take(base, new, MatchedBy::Name);
        }
    }

    /// The function of the newer side that is called so and has no partner.
    fn find_new(&self, identity: &Identity) -> Option<FunctionId> {
        let new = self.new.find(identity)?;
        (!self.new_taken[new.as_usize()]).then_some(new)
    }

    /// A closure has an argument for each variable that it takes along, so its arity may change with any
    /// of them.
    fn find_new_of_other_arity(&self, closure: &Identity) -> Option<FunctionId> {
        let wanted = ErlangName::parse(&closure.name)?;
        let is_it = |id: &FunctionId| {
            let identity = &self.new.get(*id).identity;
            let name = ErlangName::parse(&identity.name).filter(|_| identity.is_erlang());
            name.is_some_and(|name| {
                (name.module, name.function) == (wanted.module, wanted.function)
            })
        };
        let mut found = self.new_left().into_iter().filter(is_it);
        let only = found.next()?;
        found.next().is_none().then_some(only)
    }

    fn by_shown_name(&mut self) {
        let same = by_shown_name(self.base, self.base_left(), self.new, self.new_left());
        self.take_free(same.pairs, MatchedBy::Name);
        for base in same.unclear.0 {
            self.leave_base(base, Alone::Unclear(Unmatched::NotToldApart));
        }
        for new in same.unclear.1 {
            self.leave_new(new, Alone::Unclear(Unmatched::NotToldApart));
        }
    }

    fn by_renamed_file(&mut self) {
        let (base_left, new_left) = (self.base_left(), self.new_left());
        let found = by_renamed_file(self.base, &base_left, self.new, &new_left, self.texts);
        self.take_free(found, MatchedBy::RenamedFile);
    }

    /// Functions of code that is the same on both sides are all there, and none was renamed.
    fn by_body(&mut self, code: &Code<'_>) {
        let base = self.base_left().into_iter().filter_map(|id| {
            let known = self.base.get(id);
            let is_looked_for = !is_closure(&known.identity) && !code.is_same_base(known);
            let definition = code.on_base(known).filter(|_| is_looked_for)?;
            Some((id, Body::of(definition)?))
        });
        let new = self.new_left().into_iter().filter_map(|id| {
            let known = self.new.get(id);
            let is_looked_for = !is_closure(&known.identity) && !code.is_same_new(known);
            let definition = code.on_new(known).filter(|_| is_looked_for)?;
            Some((id, Body::of(definition)?))
        });
        let (mut base, mut new): (Vec<_>, Vec<_>) = (base.collect(), new.collect());
        if !base.is_empty() && !new.is_empty() {
            let most = base.len().max(new.len());
            let left_out = most.saturating_sub(MOST_BODIES);
            self.cuts.add(NoteKind::MatchingCut, left_out, MOST_BODIES);
            let bodies = || base.iter().chain(&new);
            let lines = bodies().map(|(_, body)| body.left_out).sum();
            self.cuts.add(NoteKind::LinesCut, lines, MOST_LINES);
        }
        base.truncate(MOST_BODIES);
        new.truncate(MOST_BODIES);
        self.take_free(body::most_alike(&base, &new), MatchedBy::Body);
    }

    fn by_arity(&mut self, code: &Code<'_>) {
        let (base_left, new_left) = (self.base_left(), self.new_left());
        let found = by_arity(self.base, &base_left, self.new, &new_left, code);
        self.take_free(found, MatchedBy::Arity);
    }

    /// Code inside of a function that is not matched is not, either.
    fn by_caller(&mut self) {
        let both = self.matches.iter();
        let callers: HashMap<_, _> = both
            .filter_map(|each| Some((each.base?, each.new?)))
            .collect();
        let (base_left, new_left) = (self.base_left(), self.new_left());
        let found = by_caller(self.base, &base_left, self.new, &new_left, &callers);
        self.take_free(found, MatchedBy::Caller);
        let unclear = |of: fn(&Match) -> Option<FunctionId>| -> HashMap<FunctionId, Unmatched> {
            let all = self.matches.iter();
            all.filter_map(|each| Some((of(each)?, each.unmatched?)))
                .collect()
        };
        let (of_base, of_new) = (unclear(|each| each.base), unclear(|each| each.new));
        for base in self.base_left() {
            let caller = self.base.get(base).inside;
            if let Some(why) = caller.and_then(|caller| of_base.get(&caller)) {
                self.leave_base(base, Alone::Unclear(*why));
            }
        }
        for new in self.new_left() {
            let caller = self.new.get(new).inside;
            if let Some(why) = caller.and_then(|caller| of_new.get(&caller)) {
                self.leave_new(new, Alone::Unclear(*why));
            }
        }
    }

    fn finish(mut self, code: &Code<'_>) -> Matched {
        for base in self.base_left() {
            let has_it = code.new_defines(self.base.get(base));
            self.leave_base(base, Alone::by_code(has_it));
        }
        for new in self.new_left() {
            let has_it = code.base_defines(self.new.get(new));
            self.leave_new(new, Alone::by_code(has_it));
        }
        Matched {
            functions: self.matches,
            cuts: self.cuts,
        }
    }
}

/// No text that is read here lists the closures of a function.
fn is_closure(identity: &Identity) -> bool {
    ErlangName::parse(&identity.name).is_some_and(|name| name.closure().is_some())
}

fn by_evidence(evidence: Evidence) -> MatchedBy {
    match evidence {
        Evidence::Body => MatchedBy::Body,
        Evidence::Position => MatchedBy::Position,
        Evidence::Only | Evidence::Arity => MatchedBy::Arity,
    }
}

/// Whether the sides have any function in common, called the same.
pub fn share_any(base: &Catalogue, new: &Catalogue) -> bool {
    let mut of_base = base.iter().map(|(_, function)| &function.identity);
    of_base.any(|identity| new.find(identity).is_some())
}

/// Whether the sides have a function of Erlang in common, called the same.
pub fn share_erlang(base: &Catalogue, new: &Catalogue) -> bool {
    let erlang =
        |identity: &Identity| identity.is_erlang() && !identity.name.starts_with("global::");
    let mut of_base = base.iter().map(|(_, function)| &function.identity);
    of_base.any(|identity| erlang(identity) && new.find(identity).is_some())
}
