//! The sources of both sides, out of the repository that their commits are in.

use std::collections::BTreeSet;
use std::path::Path;

use capture::facts::OriginFacts;
use commit::{MAX_FILES, Repository, Text, Texts, short_name};
use compare::{Note, RenamedFile, Side, SourceFile, SourceTexts, wanted_files};
use shared_map::HashMap;

/// What git has of the sources.
#[derive(Default)]
pub struct FoundTexts {
    pub texts: SourceTexts,
    /// Why functions are matched by name alone, or code counts as the same, or as other code, that may be none.
    pub notes: Vec<Note>,
}

/// Looks for the sources of two sides. Without them they are compared all the same: by names alone.
pub fn of(base: &Side<'_>, new: &Side<'_>, folder: Option<&Path>) -> FoundTexts {
    let (of_base, of_new) = match (origin(base), origin(new)) {
        (Some(of_base), Some(of_new)) => (of_base, of_new),
        (None, None) => return FoundTexts::of_no_commits(base, new),
        (of_base, _) => {
            let lacking = if of_base.is_none() { base } else { new };
            return FoundTexts::none(&format!(
                "no commit is known of {}; extrospect commit FILE --assign COMMIT gives it one",
                lacking.name
            ));
        }
    };
    let repository = match Repository::found(folder.unwrap_or(Path::new("."))) {
        Ok(repository) => repository,
        Err(missing) => return FoundTexts::none(&missing.to_string()),
    };
    let sides = [(&of_base, base), (&of_new, new)];
    let Listed {
        texts,
        are_listed,
        unknown,
    } = listed(&repository, sides);
    // Sides of one commit have one text, so names are enough.
    if of_base.commit == of_new.commit {
        return FoundTexts {
            texts,
            notes: Vec::new(),
        };
    }
    let lacks = |texts: &HashMap<String, SourceFile>, side: &Side<'_>| {
        let wanted = wanted_files(side);
        wanted.iter().all(|file| !texts.contains_key(file))
    };
    let found = [lacks(&texts.base, base), lacks(&texts.new, new)];
    let why = std::iter::zip(sides, std::iter::zip(are_listed, found)).find_map(
        |((origin, side), (is_listed, is_empty))| {
            why_lacking(&repository, origin, side, is_listed, is_empty)
        },
    );
    let notes = match why {
        Some(why) => vec![Note::name_alone(&why)],
        None => unknown,
    };
    FoundTexts { texts, notes }
}

/// What git lists of two commits.
struct Listed {
    texts: SourceTexts,
    /// Whether it listed the files of each side in time.
    are_listed: [bool; 2],
    /// Code that may count as the same although it changed.
    unknown: Vec<Note>,
}

fn listed(repository: &Repository, [base, new]: [(&OriginFacts, &Side<'_>); 2]) -> Listed {
    let (of_base, of_new) = (base.0, new.0);
    let renamed = repository.renamed(of_base, of_new);
    // What one side alone sampled is in the code of both, or was touched.
    let wanted = [base.1, new.1].map(wanted_files);
    let read = |origin: &OriginFacts, [own, others]: [&BTreeSet<String>; 2]| {
        let others = others.difference(own);
        repository.texts_of(origin, own.iter().chain(others).cloned())
    };
    let base_texts = read(of_base, [&wanted[0], &wanted[1]]);
    let new_texts = read(of_new, [&wanted[1], &wanted[0]]);
    let are_listed = [base_texts.is_some(), new_texts.is_some()];
    let (mut base_texts, mut new_texts) = (
        base_texts.unwrap_or_default(),
        new_texts.unwrap_or_default(),
    );
    keep_same(&mut base_texts, &wanted[0], &new_texts);
    keep_same(&mut new_texts, &wanted[1], &base_texts);
    let erlang = ChangedErlang::of(repository, of_base, of_new);
    let elixir = repository.changed_elixir(of_base, of_new);
    // Macros of any of the others may use a changed one.
    let other_elixir = match elixir.as_ref() {
        Some((changed, _)) if changed.iter().any(|it| it.text.contains("defmacro")) => {
            let changed: Vec<String> = changed.iter().map(|it| it.path.clone()).collect();
            repository.other_texts(of_new, ".ex", &changed)
        }
        _ => Some(Texts::default()),
    };
    let are_unknown = |texts: &Option<Texts>| texts.as_ref().is_none_or(|it| it.unread > 0);
    let changed_unknown = elixir.as_ref().is_none_or(|(_, unread)| *unread > 0);
    let unknown = [
        (changed_unknown || are_unknown(&other_elixir)).then(Note::macros_unknown),
        renamed.is_none().then(Note::renames_unknown),
        are_unknown(&erlang.other_headers).then(Note::headers_unknown),
        are_unknown(&erlang.settings).then(Note::transforms_unknown),
    ];
    let [headers, other_elixir, settings] =
        [erlang.other_headers, other_elixir, erlang.settings].map(Option::unwrap_or_default);
    let (elixir, unread_elixir) = elixir.unwrap_or_default();
    let unread = [&base_texts, &new_texts, &headers, &other_elixir, &settings].map(|it| it.unread);
    let texts = SourceTexts {
        unread: unread.iter().sum::<usize>() + unread_elixir,
        most_files: MAX_FILES,
        base: files(base_texts),
        new: files(new_texts),
        renamed: renamed
            .into_iter()
            .flatten()
            .map(|(base, new)| RenamedFile { base, new })
            .collect(),
        changed_headers: erlang.headers,
        changed_modules: erlang.modules,
        settings: files(settings).into_values().collect(),
        changed_build: erlang.build,
        headers: files(headers).into_values().collect(),
        changed_elixir: elixir.into_iter().map(file).collect(),
        other_elixir: files(other_elixir).into_values().collect(),
    };
    Listed {
        texts,
        are_listed,
        unknown: unknown.into_iter().flatten().collect(),
    }
}

/// Files that differ between both commits, by their paths, and those that may depend on them.
struct ChangedErlang {
    headers: Vec<String>,
    modules: Vec<String>,
    /// With settings of the build or versions of dependencies: all others.
    build: Vec<String>,
    /// Any of them may include a changed header; `None` where git did not list them, or the changed ones.
    other_headers: Option<Texts>,
    /// Of rebar3, which may name a changed module as a parse transform; `None` where git did not list them.
    settings: Option<Texts>,
}

impl ChangedErlang {
    fn of(repository: &Repository, base: &OriginFacts, new: &OriginFacts) -> Self {
        let changed = repository.changed_paths(base, new);
        let with = |ending: &str| -> Vec<String> {
            let paths = changed.iter().flatten();
            let paths = paths.filter(|path| path.ends_with(ending));
            paths.cloned().collect()
        };
        let [headers, modules] = [".hrl", ".erl"].map(with);
        let all = changed.iter().flatten();
        let build = all.filter(|path| !path.ends_with(".hrl") && !path.ends_with(".erl"));
        let build = build.cloned().collect();
        let others = |changed: &[String], ending: &str| match changed {
            [] => Some(Texts::default()),
            changed => repository.other_texts(new, ending, changed),
        };
        let is_listed = changed.is_some();
        Self {
            other_headers: is_listed.then(|| others(&headers, ".hrl")).flatten(),
            settings: others(&modules, "rebar.config"),
            headers,
            modules,
            build,
        }
    }
}

/// Of the files that the other side alone names, those with the path that it has there: a file of the same name in another
/// folder is not that one.
fn keep_same(texts: &mut Texts, own: &BTreeSet<String>, others: &Texts) {
    texts.by_name.retain(|name, text| {
        let other = others.by_name.get(name);
        own.contains(name) || other.is_some_and(|other| other.path == text.path)
    });
}

impl FoundTexts {
    /// Captures of other tools have no commits. Extrospect's own captures can have one assigned.
    fn of_no_commits(base: &Side<'_>, new: &Side<'_>) -> Self {
        let mut all = base.captures.iter().chain(&new.captures);
        match all.all(|given| given.capture.is_own()) {
            true => Self::none(
                "no commit is known of either side; set it with extrospect commit FILE --assign COMMIT",
            ),
            false => Self::default(),
        }
    }

    fn none(why: &str) -> Self {
        Self {
            texts: SourceTexts::default(),
            notes: vec![Note::name_alone(why)],
        }
    }
}

/// Why a side has no texts. Without its commit it may have some, but renamed files cannot be known.
fn why_lacking(
    repository: &Repository,
    origin: &OriginFacts,
    side: &Side<'_>,
    is_listed: bool,
    is_empty: bool,
) -> Option<String> {
    if let Err(missing) = repository.check_commit(&origin.commit) {
        return Some(missing.to_string());
    }
    let commit = short_name(&origin.commit);
    match (is_listed, is_empty) {
        (false, _) => Some(format!("git did not list the files of {commit} in time")),
        (true, true) if wanted_files(side).is_empty() => {
            Some(format!("no source file is named by {}", side.name))
        }
        (true, true) => Some(format!(
            "{commit} has none of the files named by {}",
            side.name
        )),
        (true, false) => None,
    }
}

/// The commit of a side: captures of one are repetitions of one program.
fn origin(side: &Side<'_>) -> Option<OriginFacts> {
    let mut origins = side
        .captures
        .iter()
        .filter_map(|given| given.capture.origin());
    origins.find(|origin| !origin.commit.is_empty())
}

fn files(texts: Texts) -> HashMap<String, SourceFile> {
    let files = texts.by_name.into_iter();
    files
        .map(|(reported, found)| (reported, file(found)))
        .collect()
}

fn file(Text { path, text }: Text) -> SourceFile {
    SourceFile { path, text }
}
