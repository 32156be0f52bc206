//! The known facts about the code of both sides: whether it changed, and its definitions.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::definitions::{Definition, Definitions};
use super::erlang_name::ErlangName;
use crate::identity::{Catalogue, FunctionId, KnownFunction};
use crate::sources::{SourceFile, SourceTexts};

/// The code of both sides.
pub struct Code<'a> {
    base: SideCode<'a>,
    new: SideCode<'a>,
}

/// The code of one side, as far as it changed.
struct SideCode<'a> {
    catalogue: &'a Catalogue,
    /// By the path that captures name.
    files: &'a HashMap<String, SourceFile>,
    /// Files whose text the other side has, too, by path in the repository.
    unchanged: HashSet<&'a str>,
    /// Of the others, by path in the repository.
    definitions: HashMap<&'a str, Definitions<'a>>,
}

impl<'a> Code<'a> {
    pub fn of(base: &'a Catalogue, new: &'a Catalogue, texts: &'a SourceTexts) -> Self {
        Self {
            base: SideCode::of(base, &texts.base, &texts.new),
            new: SideCode::of(new, &texts.new, &texts.base),
        }
    }

    /// Whether both sides ran the same code of the module that a function of the older side is in.
    pub fn is_same_base(&self, known: &KnownFunction) -> bool {
        self.is_same_build(known) || self.base.is_unchanged(known)
    }

    /// The same for one of the newer side.
    pub fn is_same_new(&self, known: &KnownFunction) -> bool {
        self.is_same_build(known) || self.new.is_unchanged(known)
    }

    /// Whether the older side's code has a function of the newer side.
    pub fn base_defines(&self, known: &KnownFunction) -> bool {
        self.is_same_new(known) || self.base.defines(known)
    }

    /// Whether the newer side's code has a function of the older side.
    pub fn new_defines(&self, known: &KnownFunction) -> bool {
        self.is_same_base(known) || self.new.defines(known)
    }

    fn is_same_build(&self, known: &KnownFunction) -> bool {
        let name = ErlangName::parse(&known.identity.name).filter(|_| known.identity.is_erlang());
        let (base, new) = (&self.base.catalogue.builds, &self.new.catalogue.builds);
        name.is_some_and(|name| base.is_same(new, name.module))
    }

    /// The functions of a name in the module of these of the older side; `None` when its text is not
    /// known, or does not have all of these.
    pub fn base_family(
        &self,
        members: &BTreeMap<u8, FunctionId>,
        name: &str,
    ) -> Option<Vec<&Definition<'a>>> {
        self.base.family(members, name)
    }

    /// The same of the newer side.
    pub fn new_family(
        &self,
        members: &BTreeMap<u8, FunctionId>,
        name: &str,
    ) -> Option<Vec<&Definition<'a>>> {
        self.new.family(members, name)
    }
}

impl<'a> SideCode<'a> {
    fn of(
        catalogue: &'a Catalogue,
        files: &'a HashMap<String, SourceFile>,
        others: &'a HashMap<String, SourceFile>,
    ) -> Self {
        let other_texts: HashSet<&str> = others.values().map(|file| file.text.as_str()).collect();
        let (unchanged, changed): (Vec<&SourceFile>, Vec<_>) = files
            .values()
            .partition(|file| other_texts.contains(file.text.as_str()));
        let definitions = changed
            .into_iter()
            .filter_map(|file| Some((file.path.as_str(), Definitions::of(file)?)));
        Self {
            catalogue,
            files,
            unchanged: unchanged.iter().map(|file| file.path.as_str()).collect(),
            definitions: definitions.collect(),
        }
    }

    fn is_unchanged(&self, known: &KnownFunction) -> bool {
        let file = self.files.get(&known.file);
        file.is_some_and(|file| self.unchanged.contains(file.path.as_str()))
    }

    /// Whether its file defines a function of the other side by that name; not known of closures.
    fn defines(&self, known: &KnownFunction) -> bool {
        let name = ErlangName::parse(&known.identity.name).filter(|_| known.identity.is_erlang());
        let file = self.files.get(&known.file);
        let definitions = file.and_then(|file| self.definitions.get(file.path.as_str()));
        let (Some(name), Some(definitions)) = (name, definitions) else {
            return false;
        };
        let arity = name.arity.parse();
        arity.is_ok_and(|arity| definitions.only_module_has(name.function, arity))
    }

    fn family(
        &self,
        members: &BTreeMap<u8, FunctionId>,
        name: &str,
    ) -> Option<Vec<&Definition<'a>>> {
        let (_, first) = members.first_key_value()?;
        let first = self.catalogue.get(*first);
        let file = self.files.get(&first.file)?;
        let definitions = self.definitions.get(file.path.as_str())?;
        let family = definitions.family(name, first.head_line);
        let is_defined = |arity: &u8| family.iter().any(|it| it.arity == *arity);
        members.keys().all(is_defined).then_some(family)
    }
}
