//! The code of both sides: what their texts define, and the one answer to whether code is the same.
//!
//! The sums of modules decide first: modules with the same MD5 are the same. Sums that differ prove nothing, as some
//! have a path of the checkout in them; then the texts decide, by one scanner ([`Definitions`]). What neither knows is
//! not known.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use capture::sample::FrameKind;
use shared_map::{HashMap, HashSet};
use source_texts::{
    Definition, Definitions, ElixirModule, ElixirModules, MOST_MODULES, MOST_NAMES, Unread,
    parse_transforms,
};

use crate::cuts::Cuts;
use crate::erlang_name::ErlangName;
use crate::identity::{Catalogue, FunctionId, KnownFunction};
use crate::notes::NoteKind;
use crate::side::Side;
use crate::sources::{SourceFile, SourceTexts};

/// The code of both sides.
pub struct Code<'a> {
    base: SideCode<'a>,
    new: SideCode<'a>,
    texts: &'a SourceTexts,
    /// Headers that differ between both sides, with those that include them: paths in the repository.
    changed_headers: Vec<String>,
    /// The last names of modules with macros in files that differ between both sides, and of those whose macros may use
    /// such a macro.
    changed_macros: Vec<String>,
    /// The unknown parts of headers and of files with macros.
    unknown: Cuts,
    /// The modules of files that differ between both sides: each may be a parse transform.
    changed_modules: Vec<&'a str>,
    /// Folders with settings that name such a parse transform for all files below.
    transformed: Vec<&'a str>,
    /// Both sides ran the same release, and so the same emulator.
    same_release: bool,
    /// Headers, macros and settings of the build of a side may have edits that no commit has.
    is_uncommitted: bool,
}

/// The code of one side.
struct SideCode<'a> {
    catalogue: &'a Catalogue,
    /// By the path that captures name.
    files: &'a HashMap<String, SourceFile>,
    /// Files whose text the other side has, too, by path in the repository.
    unchanged: HashSet<&'a str>,
    /// By path in the repository.
    scanned: HashMap<&'a str, Scanned<'a>>,
}

/// A file, scanned when it is first needed.
struct Scanned<'a> {
    file: &'a SourceFile,
    definitions: OnceCell<Result<Definitions<'a>, Unread>>,
}

impl<'a> Code<'a> {
    pub fn of(
        base: (&Side<'_>, &'a Catalogue),
        new: (&Side<'_>, &'a Catalogue),
        texts: &'a SourceTexts,
    ) -> Self {
        let of_base = release(base.0);
        let mut unknown = Cuts::default();
        let modules = texts.changed_modules.iter();
        let changed_modules: Vec<&str> = modules.map(|path| module_of(path)).collect();
        let settings = texts.settings.iter();
        let settings = settings.filter(|file| names_transform(&file.text, &changed_modules));
        Self {
            transformed: settings.map(|file| folder_of(&file.path)).collect(),
            changed_modules,
            changed_headers: with_including(texts, &mut unknown),
            changed_macros: changed_macros(texts, &mut unknown),
            unknown,
            same_release: of_base.is_some() && of_base == release(new.0),
            is_uncommitted: base.0.is_uncommitted() || new.0.is_uncommitted(),
            base: SideCode::of(base.1, &texts.base, &texts.new),
            new: SideCode::of(new.1, &texts.new, &texts.base),
            texts,
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

    /// Whether the code of a function of both sides is known to be the same.
    pub fn is_same(&self, base: &KnownFunction, new: &KnownFunction) -> bool {
        let is_one = base.identity == new.identity;
        if is_one && self.is_same_build(base) {
            return true;
        }
        match (self.texts.base_of(base), self.texts.new_of(new)) {
            (Some(of_base), Some(of_new)) if of_base.text == of_new.text => {
                !self.includes_changed(&self.new, of_new)
            }
            (Some(_), Some(_)) => self.has_same_form(base, new).unwrap_or(false),
            // BIFs are the emulator's.
            (None, None) => is_one && self.same_release && base.kind == FrameKind::Bif,
            _ => false,
        }
    }

    /// Whether the code of a function that one side alone has samples of is the same on both; `None` where neither the
    /// sum of its module is known on both nor its file. A file that the other commit lacks has nothing that is the same.
    pub fn is_same_there(
        &self,
        base: Option<&KnownFunction>,
        new: Option<&KnownFunction>,
    ) -> Option<bool> {
        let (here, there, known) = match (base, new) {
            (Some(known), _) => (&self.base, &self.new, known),
            (None, Some(known)) => (&self.new, &self.base, known),
            (None, None) => return None,
        };
        if self.is_same_build(known) {
            return Some(true);
        }
        let file = here.files.get(&known.file)?;
        let is_renamed = |other: &&SourceFile| {
            self.texts.is_renamed(file, other) || self.texts.is_renamed(other, file)
        };
        let namesake = there.files.get(&known.file);
        let Some(other) = namesake.or_else(|| there.files.values().find(is_renamed)) else {
            return self.texts.is_of_one_commit(file).then_some(false);
        };
        let is_defined = || {
            let (own, others) = (here.scan(file)?, there.scan(other)?);
            let definition = here.definition(known)?;
            Some(others.has_code_of(definition) && own.declares_as(others))
        };
        let is_same = file.text == other.text || is_defined().unwrap_or(false);
        Some(is_same && !self.includes_changed(here, file))
    }

    /// Whether a function that counts as the same by its text may be another by edits that no commit has. The sum of its
    /// module, which decides first, has them.
    pub fn may_be_edited(&self, known: &KnownFunction) -> bool {
        let has_text = self.texts.base_of(known).is_some() || self.texts.new_of(known).is_some();
        self.is_uncommitted && has_text && !self.is_same_build(known)
    }

    /// Whether either side has the text of a function of both.
    pub fn has_text(&self, base: &KnownFunction, new: &KnownFunction) -> bool {
        self.texts.base_of(base).is_some() || self.texts.new_of(new).is_some()
    }

    /// Whether both sides have the texts of a function, and it is another one in each.
    pub fn is_changed(&self, base: &KnownFunction, new: &KnownFunction) -> bool {
        let has_texts = self.texts.base_of(base).is_some() && self.texts.new_of(new).is_some();
        has_texts && !self.is_same(base, new)
    }

    /// What of the files that were scanned was not read.
    pub fn cuts(&self) -> Cuts {
        let mut cuts = self.unknown.clone();
        let files = [&self.base, &self.new].map(|side| side.scanned.values());
        for scanned in files.into_iter().flatten() {
            match scanned.definitions.get() {
                Some(Err(Unread::Modules(count))) => {
                    cuts.add(NoteKind::ModulesCut, *count, MOST_MODULES);
                }
                Some(Err(Unread::Endless)) => cuts.add(NoteKind::TextsCut, 1, 0),
                Some(Ok(_) | Err(Unread::Language)) | None => {}
            }
        }
        cuts
    }

    /// Whether both commits have texts.
    pub fn has_texts(&self) -> bool {
        self.texts.are_of_both()
    }

    fn has_same_form(&self, base: &KnownFunction, new: &KnownFunction) -> Option<bool> {
        let (before, after) = (self.on_base(base)?, self.on_new(new)?);
        let files = (self.texts.base_of(base)?, self.texts.new_of(new)?);
        let declares_the_same = self
            .base
            .scan(files.0)?
            .declares_as(self.new.scan(files.1)?);
        let includes_the_same = !self.includes_changed(&self.new, files.1);
        Some(declares_the_same && includes_the_same && before.is_same_code(after))
    }

    /// Whether a file includes a header, or uses macros of a file or a parse transform, that differs between both sides,
    /// or settings of the build or dependencies do: that may change any function.
    fn includes_changed(&self, side: &SideCode<'_>, file: &SourceFile) -> bool {
        if !self.texts.changed_build.is_empty() {
            return true;
        }
        let (headers, macros) = (&self.changed_headers, &self.changed_macros);
        let is_of = |ends: &[&str]| ends.iter().any(|end| file.path.ends_with(end));
        if is_of(&["rl"]) {
            let mut transformed = self.transformed.iter();
            return transformed.any(|folder| file.path.starts_with(folder))
                || names_transform(&file.text, &self.changed_modules)
                || !headers.is_empty()
                    && side.scan(file).is_none_or(|it| it.includes_any(headers));
        }
        let may_use = !macros.is_empty() && is_of(&[".ex", ".exs"]);
        may_use && side.scan(file).is_none_or(|it| it.uses_any(macros))
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

    /// A function of the older side in its text; of a closure the one that it is written in.
    pub fn on_base(&self, known: &KnownFunction) -> Option<&Definition<'a>> {
        self.base.definition(known)
    }

    /// The same of the newer side.
    pub fn on_new(&self, known: &KnownFunction) -> Option<&Definition<'a>> {
        self.new.definition(known)
    }

    /// Whether a function of the older side names another in its code; `None` where that is not known.
    pub fn base_mentions(&self, known: &KnownFunction, other: &KnownFunction) -> Option<bool> {
        self.base.mentions(known, other)
    }

    /// The same of the newer side.
    pub fn new_mentions(&self, known: &KnownFunction, other: &KnownFunction) -> Option<bool> {
        self.new.mentions(known, other)
    }

    /// The file of a function of the older side, and the same file of the newer side, where both can be read.
    pub fn file_of_base(&self, known: &KnownFunction) -> Option<[&Definitions<'a>; 2]> {
        let before = self.texts.base_of(known)?;
        let mut of_new = self.texts.new.values();
        let after = of_new.find(|after| self.texts.is_same_file(before, after))?;
        Some([self.base.scan(before)?, self.new.scan(after)?])
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
        let is_there = |file: &&SourceFile| other_texts.contains(file.text.as_str());
        let unchanged = files.values().filter(is_there);
        let scanned = files.values().map(|file| {
            let definitions = OnceCell::new();
            (file.path.as_str(), Scanned { file, definitions })
        });
        Self {
            catalogue,
            files,
            unchanged: unchanged.map(|file| file.path.as_str()).collect(),
            scanned: scanned.collect(),
        }
    }

    fn scan(&self, file: &SourceFile) -> Option<&Definitions<'a>> {
        let scanned = self.scanned.get(file.path.as_str())?;
        let definitions = &scanned.definitions;
        definitions
            .get_or_init(|| scanned.file.definitions())
            .as_ref()
            .ok()
    }

    fn is_unchanged(&self, known: &KnownFunction) -> bool {
        let file = self.files.get(&known.file);
        file.is_some_and(|file| self.unchanged.contains(file.path.as_str()))
    }

    fn definition(&self, known: &KnownFunction) -> Option<&Definition<'a>> {
        let name = erlang_name(known)?;
        let name = name.outer().unwrap_or(name);
        let definitions = self.scan(self.files.get(&known.file)?)?;
        definitions.get(name.function, name.arity.parse().ok()?, known.head_line)
    }

    fn mentions(&self, known: &KnownFunction, other: &KnownFunction) -> Option<bool> {
        let definition = self.definition(known)?;
        let definitions = self.scan(self.files.get(&known.file)?)?;
        let other = erlang_name(other)?;
        Some(definitions.mentions(definition, other.function, other.arity.parse().ok()))
    }

    /// Whether its file defines a function of the other side by that name; not known of closures.
    fn defines(&self, known: &KnownFunction) -> bool {
        let definitions = self.files.get(&known.file).and_then(|file| self.scan(file));
        let (Some(name), Some(definitions)) = (erlang_name(known), definitions) else {
            return false;
        };
        let arity = name.arity.parse();
        arity.is_ok_and(|arity| definitions.only_module_has(name.function, arity))
    }

    /// In an unchanged file, functions have their names.
    fn family(
        &self,
        members: &BTreeMap<u8, FunctionId>,
        name: &str,
    ) -> Option<Vec<&Definition<'a>>> {
        let (_, first) = members.first_key_value()?;
        let first = self.catalogue.get(*first);
        if self.is_unchanged(first) {
            return None;
        }
        let definitions = self.scan(self.files.get(&first.file)?)?;
        let family = definitions.family(name, first.head_line);
        let is_defined = |arity: &u8| family.iter().any(|it| it.arity == *arity);
        members.keys().all(is_defined).then_some(family)
    }
}

/// Whether a text names one of these modules as a parse transform.
fn names_transform(text: &str, modules: &[&str]) -> bool {
    let may_name = !modules.is_empty() && text.contains("parse_transform");
    may_name
        && parse_transforms(text).is_none_or(|named| named.iter().any(|it| modules.contains(it)))
}

/// The folder of a file, with its last slash; empty at the top.
fn folder_of(path: &str) -> &str {
    path.rfind('/').map_or("", |slash| &path[..=slash])
}

/// The module of a file of Erlang.
fn module_of(path: &str) -> &str {
    let name = &path[folder_of(path).len()..];
    name.strip_suffix(".erl").unwrap_or(name)
}

/// The headers that differ, and those that include one of them, also by others, however many: each round finds one more
/// at least, of as many as are read. One that cannot be read may include any.
fn with_including(texts: &SourceTexts, unknown: &mut Cuts) -> Vec<String> {
    let mut changed = texts.changed_headers.clone();
    let headers = texts.headers.iter();
    let mut left: Vec<_> = headers
        .filter(|header| !changed.contains(&header.path))
        .map(|header| (header, header.definitions()))
        .collect();
    let unread = left.iter().filter(|(_, definitions)| definitions.is_err());
    unknown.add(NoteKind::IncludesUnread, unread.count(), 0);
    let mut latest = changed.clone();
    for depth in 0_usize.. {
        let (found, others): (Vec<_>, Vec<_>) = left.into_iter().partition(|(_, definitions)| {
            let definitions = definitions.as_ref();
            definitions.map_or(depth == 0, |it| it.includes_any(&latest))
        });
        if found.is_empty() {
            break;
        }
        latest = found
            .iter()
            .map(|(header, _)| header.path.clone())
            .collect();
        changed.extend_from_slice(&latest);
        left = others;
    }
    changed
}

/// The last names of the modules with macros in files of Elixir that differ, and in those that use one of these, also by
/// others. One that cannot be read may use any.
fn changed_macros(texts: &SourceTexts, unknown: &mut Cuts) -> Vec<String> {
    let changed = texts.changed_elixir.iter();
    let mut names: Vec<String> = changed
        .flat_map(|file| modules_with_macros(file, unknown))
        .collect();
    if names.is_empty() {
        return names;
    }
    let others = texts.other_elixir.iter();
    let mut left: Vec<_> = others
        .map(|file| (file, modules_with_macros(file, unknown)))
        .filter(|(_, modules)| !modules.is_empty())
        .map(|(file, modules)| (file.definitions(), modules))
        .collect();
    let unread = left.iter().filter(|(definitions, _)| definitions.is_err());
    unknown.add(NoteKind::IncludesUnread, unread.count(), 0);
    loop {
        let (found, others): (Vec<_>, Vec<_>) = left.into_iter().partition(|(definitions, _)| {
            let definitions = definitions.as_ref().ok();
            definitions.is_none_or(|it| it.uses_any(&names))
        });
        if found.is_empty() {
            return names;
        }
        names.extend(found.into_iter().flat_map(|(_, modules)| modules));
        left = others;
    }
}

/// The last names of the modules in a file of Elixir that has macros.
fn modules_with_macros(file: &SourceFile, unknown: &mut Cuts) -> Vec<String> {
    let ElixirModules {
        named,
        is_cut,
        is_endless,
        has_macros,
    } = ElixirModules::of(&file.text);
    let count = |is_lacking: bool| usize::from(has_macros && is_lacking);
    unknown.add(NoteKind::MacroNamesCut, count(is_cut), MOST_NAMES);
    unknown.add(NoteKind::MacrosUnread, usize::from(is_endless), 0);
    let named = named.into_iter().filter(|_| has_macros);
    let names = named.filter_map(|module| match module {
        ElixirModule::Module(name) | ElixirModule::Protocol(name) => {
            name.rsplit('.').next().map(str::to_owned)
        }
        ElixirModule::Implementation(..) => None,
    });
    names.collect()
}

fn erlang_name(known: &KnownFunction) -> Option<ErlangName<'_>> {
    ErlangName::parse(&known.identity.name).filter(|_| known.identity.is_erlang())
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
