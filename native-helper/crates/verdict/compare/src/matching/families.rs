//! Functions of one name in one module whose arities shifted: `string/7` and `string/8` that became
//! `/6` and `/7`. Matched by name, `string/7` would be another function.

use std::collections::BTreeMap;

use shared_map::HashMap;
use source_texts::MOST_WORDS;

use super::partners::{Evidence, MOST_MEMBERS, may_have_shifted, partners};
use crate::code::Code;
use crate::cuts::Cuts;
use crate::erlang_name::ErlangName;
use crate::identity::{Catalogue, FunctionId, Identity};
use crate::notes::NoteKind;
use crate::sources::{SourceFile, SourceTexts};

/// Module and function, without quotes.
type Name<'n> = (&'n str, &'n str);
/// The same with its arity.
type Member<'n> = (&'n str, &'n str, u8);

/// The partner of a function of a shifted family on the newer side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Partner<'n> {
    Found(Found<'n>),
    /// The newer text has none.
    Nothing,
    /// One of several, and it is not known which.
    Unclear,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Found<'n> {
    /// The part before its name: the module as the VM spells it, and a colon.
    prefix: &'n str,
    arity: u8,
    evidence: Evidence,
}

/// The name of a function of the older side on the newer one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OnNew {
    /// Its family did not shift.
    TheSame,
    Called(Identity, Evidence),
    /// The newer code has none.
    Nothing,
    /// One of several, and it is not known which.
    Unclear,
}

/// The families that shifted, as far as that is known.
#[derive(Debug, Default)]
pub struct Families<'n> {
    base: HashMap<Member<'n>, Partner<'n>>,
    /// Whether it is one of several.
    new: HashMap<Member<'n>, bool>,
}

/// The sampled functions of one name.
#[derive(Debug, Default)]
struct Sampled<'n> {
    /// By arity.
    members: BTreeMap<u8, FunctionId>,
    prefix: &'n str,
}

type AllSampled<'n> = BTreeMap<Name<'n>, Sampled<'n>>;

impl<'n> Families<'n> {
    pub fn of(
        base: &'n Catalogue,
        new: &'n Catalogue,
        texts: &SourceTexts,
        code: &Code<'_>,
        cuts: &mut Cuts,
    ) -> Self {
        let (of_base, of_new) = (sampled(base), sampled(new));
        let renamed = Renamed::new(new, texts, &of_new);
        let mut families = Self::default();
        for (name, older) in &of_base {
            let mut members = older.members.values();
            if members.any(|id| code.is_same_base(base.get(*id))) {
                continue;
            }
            let same_name = of_new.get_key_value(name);
            let newer = same_name.or_else(|| {
                let name = renamed.find(base, older, name.1)?;
                of_new.get_key_value(&name)
            });
            let Some((new_name, newer)) = newer else {
                continue;
            };
            let (older, newer) = ((*name, older), (*new_name, newer));
            if !families.by_text(code, older, newer, cuts) {
                families.by_samples(older, newer);
            }
        }
        families
    }

    /// The name of an older function on the newer side. Closures go with their enclosing function.
    pub fn on_new(&self, identity: &Identity) -> OnNew {
        let partner = member(identity).and_then(|member| self.base.get(&member));
        match partner {
            None => OnNew::TheSame,
            Some(Partner::Found(found)) => {
                let name = found.name_of(&identity.name);
                OnNew::Called(Identity::of_erlang(name), found.evidence)
            }
            Some(Partner::Nothing) => OnNew::Nothing,
            Some(Partner::Unclear) => OnNew::Unclear,
        }
    }

    /// Of a function of the newer side whose family shifted: whether it is one of several, and it is
    /// not known which.
    pub fn is_unclear_on_new(&self, identity: &Identity) -> Option<bool> {
        self.new.get(&member(identity)?).copied()
    }

    /// By the texts of both sides; `false` where they do not decide it.
    fn by_text(
        &mut self,
        code: &Code<'_>,
        (name, older): (Name<'n>, &Sampled<'n>),
        (new_name, newer): (Name<'n>, &Sampled<'n>),
        cuts: &mut Cuts,
    ) -> bool {
        let (Some(of_base), Some(of_new)) = (
            code.base_family(&older.members, name.1),
            code.new_family(&newer.members, new_name.1),
        ) else {
            return false;
        };
        if !may_have_shifted(&of_base, &of_new) {
            return true;
        }
        let members = of_base.len().max(of_new.len());
        if members > MOST_MEMBERS {
            cuts.add(NoteKind::FamiliesCut, members, MOST_MEMBERS);
            return true;
        }
        let words = of_base.iter().chain(&of_new);
        let words = words.map(|it| it.words_left_out).sum();
        cuts.add(NoteKind::WordsCut, words, MOST_WORDS);
        let Some(found) = partners(&of_base, &of_new) else {
            return true;
        };
        let old_member = |at: usize| (name.0, name.1, of_base[at].arity);
        let new_member = |at: usize| (new_name.0, new_name.1, of_new[at].arity);
        for at in 0..of_base.len() {
            self.base.insert(old_member(at), Partner::Nothing);
        }
        for at in 0..of_new.len() {
            self.new.insert(new_member(at), false);
        }
        for (older, newer_at, evidence) in found.pairs {
            let partner = Partner::Found(Found {
                prefix: newer.prefix,
                arity: of_new[newer_at].arity,
                evidence,
            });
            self.base.insert(old_member(older), partner);
        }
        let (older, newer) = found.unclear;
        for at in older {
            self.base.insert(old_member(at), Partner::Unclear);
        }
        for at in newer {
            self.new.insert(new_member(at), true);
        }
        true
    }

    /// Without texts it is not known which is which once both sides have arities that the other lacks,
    /// except where each has one function of the name.
    fn by_samples(
        &mut self,
        (name, older): (Name<'n>, &Sampled<'n>),
        (new_name, newer): (Name<'n>, &Sampled<'n>),
    ) {
        let lacks = |of: &Sampled<'_>, other: &Sampled<'_>| {
            let mut arities = of.members.keys();
            arities.any(|arity| !other.members.contains_key(arity))
        };
        let is_alone = older.members.len() == 1 && newer.members.len() == 1;
        if is_alone || !lacks(older, newer) || !lacks(newer, older) {
            return;
        }
        for arity in older.members.keys() {
            self.base.insert((name.0, name.1, *arity), Partner::Unclear);
        }
        for arity in newer.members.keys() {
            self.new.insert((new_name.0, new_name.1, *arity), true);
        }
    }
}

impl Found<'_> {
    /// The name on the newer side of a function called `raw`, or of code made from a part of it.
    fn name_of(&self, raw: &str) -> String {
        let Some(name) = ErlangName::parse(raw) else {
            return raw.to_owned();
        };
        let behind = raw.strip_prefix(name.prefix(raw)).unwrap_or(raw);
        let arity = self.arity;
        let behind = match (name.outer(), behind.rsplit_once('/')) {
            (Some(outer), _) => {
                let old = format!("{}/{}", outer.function, outer.arity);
                behind.replacen(&old, &format!("{}/{arity}", outer.function), 1)
            }
            (None, Some((function, _))) => format!("{function}/{arity}"),
            (None, None) => behind.to_owned(),
        };
        format!("{}{behind}", self.prefix)
    }
}

/// The function that this is, or is a part of.
fn member(identity: &Identity) -> Option<Member<'_>> {
    let name = ErlangName::parse(&identity.name).filter(|_| identity.is_erlang())?;
    let name = name.outer().unwrap_or(name);
    Some((name.module, name.function, name.arity.parse().ok()?))
}

/// Code that the compiler made of a part of a function is no member of its family.
fn sampled(catalogue: &Catalogue) -> AllSampled<'_> {
    let mut all = AllSampled::new();
    for (id, known) in catalogue.iter() {
        let raw = &known.identity.name;
        let Some(name) = ErlangName::parse(raw).filter(|_| known.identity.is_erlang()) else {
            continue;
        };
        if let (None, Ok(arity)) = (name.outer(), name.arity.parse()) {
            let family = all.entry((name.module, name.function)).or_default();
            family.members.insert(arity, id);
            family.prefix = name.prefix(raw);
        }
    }
    all
}

/// The functions of the newer side that lie in files with a name that is new.
struct Renamed<'a, 'n> {
    texts: &'a SourceTexts,
    /// By function: module and file.
    functions: HashMap<&'n str, Vec<(&'n str, &'a SourceFile)>>,
}

impl<'a, 'n> Renamed<'a, 'n> {
    fn new(new: &'n Catalogue, texts: &'a SourceTexts, sampled: &AllSampled<'n>) -> Self {
        let mut functions: HashMap<_, Vec<_>> = HashMap::new();
        if !texts.renamed.is_empty() {
            for ((module, function), family) in sampled {
                let files = family.members.values().map(|id| texts.new_of(new.get(*id)));
                if let Some(file) = files.flatten().next() {
                    functions
                        .entry(*function)
                        .or_default()
                        .push((*module, file));
                }
            }
        }
        Self { texts, functions }
    }

    /// The family that one of the older side is now; `None` when there are several.
    fn find(&self, base: &Catalogue, older: &Sampled<'_>, function: &str) -> Option<Name<'n>> {
        let (function, candidates) = self.functions.get_key_value(function)?;
        let files = older.members.values();
        let file = files
            .filter_map(|id| self.texts.base_of(base.get(*id)))
            .next()?;
        let mut renamed = candidates
            .iter()
            .filter(|(_, newer)| self.texts.is_renamed(file, newer));
        match (renamed.next(), renamed.next()) {
            (Some((module, _)), None) => Some((module, function)),
            _ => None,
        }
    }
}
