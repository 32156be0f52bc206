//! The sources of both sides, out of the repository that their commits are in.

use std::collections::HashMap;
use std::path::Path;

use capture::facts::OriginFacts;
use commit::{MAX_FILES, Repository, Texts, short_name};
use compare::{Note, RenamedFile, Side, SourceFile, SourceTexts, wanted_files};

/// What git has of the sources.
#[derive(Default)]
pub struct FoundTexts {
    pub texts: SourceTexts,
    /// Why functions are matched by name alone, or code counts as the same that may be another.
    pub note: Option<Note>,
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
    let renamed = repository.renamed(&of_base, &of_new).into_iter();
    let read =
        |origin: &OriginFacts, side: &Side<'_>| repository.texts_of(origin, wanted_files(side));
    let (base_texts, new_texts) = (read(&of_base, base), read(&of_new, new));
    let listed = repository.changed_headers(&of_base, &of_new);
    let are_listed = listed.is_some();
    let changed_headers = listed.unwrap_or_default();
    let headers = match changed_headers.is_empty() {
        true => Texts::default(),
        false => repository.headers(&of_new, &changed_headers),
    };
    let texts = SourceTexts {
        unread: base_texts.unread + new_texts.unread + headers.unread,
        most_files: MAX_FILES,
        base: files(base_texts),
        new: files(new_texts),
        renamed: renamed
            .map(|(base, new)| RenamedFile { base, new })
            .collect(),
        changed_headers,
        headers: files(headers).into_values().collect(),
    };
    // Sides of one commit have one text, so names are enough.
    if of_base.commit == of_new.commit {
        return FoundTexts { texts, note: None };
    }
    let why = why_lacking(&repository, &of_base, base, &texts.base)
        .or_else(|| why_lacking(&repository, &of_new, new, &texts.new));
    let note = match why {
        Some(why) => Some(Note::name_alone(&why)),
        None => (!are_listed).then(Note::headers_unknown),
    };
    FoundTexts { texts, note }
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
            note: Some(Note::name_alone(why)),
        }
    }
}

/// Why a side has no texts. Without its commit it may have some, but renamed files cannot be known.
fn why_lacking(
    repository: &Repository,
    origin: &OriginFacts,
    side: &Side<'_>,
    found: &HashMap<String, SourceFile>,
) -> Option<String> {
    if let Err(missing) = repository.check_commit(&origin.commit) {
        return Some(missing.to_string());
    }
    found
        .is_empty()
        .then(|| match wanted_files(side).is_empty() {
            true => format!("{} names no source files", side.name),
            false => format!(
                "{} has none of the files that {} names",
                short_name(&origin.commit),
                side.name
            ),
        })
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
    let files = texts.by_name.into_iter().map(|(reported, found)| {
        let file = SourceFile {
            path: found.path,
            text: found.text,
        };
        (reported, file)
    });
    files.collect()
}
