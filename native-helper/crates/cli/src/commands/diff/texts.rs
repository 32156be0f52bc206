//! The sources of both sides, out of the repository that their commits are in.

use std::collections::HashMap;
use std::path::Path;

use capture::facts::OriginFacts;
use commit::{Repository, short_name};
use compare::{Note, RenamedFile, Side, SourceFile, SourceTexts, wanted_files};

/// What git has of the sources.
#[derive(Default)]
pub struct FoundTexts {
    pub texts: SourceTexts,
    /// Why functions are matched by name alone, when they are.
    pub note: Option<Note>,
}

/// Looks for the sources of two sides. Without them they are compared all the same: by names alone.
pub fn of(base: &Side<'_>, new: &Side<'_>, folder: Option<&Path>) -> FoundTexts {
    let (of_base, of_new) = match (origin(base), origin(new)) {
        (Some(of_base), Some(of_new)) => (of_base, of_new),
        // Nothing says that they are versions of something.
        (None, None) => return FoundTexts::default(),
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
    let texts = SourceTexts {
        base: texts(&repository, &of_base, base),
        new: texts(&repository, &of_new, new),
        renamed: renamed
            .map(|(base, new)| RenamedFile { base, new })
            .collect(),
    };
    let is_one_commit = of_base.commit == of_new.commit;
    let lacks = |found: &HashMap<_, _>, origin, side| match found.is_empty() && !is_one_commit {
        true => Some(why_none(&repository, origin, side)),
        false => None,
    };
    let why = lacks(&texts.base, &of_base, base).or_else(|| lacks(&texts.new, &of_new, new));
    FoundTexts {
        note: why.map(|why| Note::name_alone(&why)),
        texts,
    }
}

impl FoundTexts {
    fn none(why: &str) -> Self {
        Self {
            texts: SourceTexts::default(),
            note: Some(Note::name_alone(why)),
        }
    }
}

/// Why there is no text of any file of a side.
fn why_none(repository: &Repository, origin: &OriginFacts, side: &Side<'_>) -> String {
    if let Err(missing) = repository.check_commit(&origin.commit) {
        return missing.to_string();
    }
    match wanted_files(side).is_empty() {
        true => format!("{} names no source files", side.name),
        false => format!(
            "{} has none of the files that {} names",
            short_name(&origin.commit),
            side.name
        ),
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

fn texts(
    repository: &Repository,
    origin: &OriginFacts,
    side: &Side<'_>,
) -> HashMap<String, SourceFile> {
    let texts = repository.texts_of(origin, wanted_files(side)).into_iter();
    let files = texts.map(|(reported, found)| {
        let file = SourceFile {
            path: found.path,
            text: found.text,
        };
        (reported, file)
    });
    files.collect()
}
