//! The sources of both sides, out of the repository that their commits are in.

use std::collections::HashMap;
use std::path::Path;

use capture::facts::OriginFacts;
use commit::Repository;
use compare::{RenamedFile, Side, SourceFile, SourceTexts, wanted_files};

use crate::terminal;

/// What git has of the sources. Captures without a commit and folders without a repository are compared
/// all the same: by names alone.
pub fn of(base: &Side<'_>, new: &Side<'_>, folder: Option<&Path>) -> SourceTexts {
    let (Some(of_base), Some(of_new)) = (origin(base), origin(new)) else {
        return SourceTexts::default();
    };
    let repository = match Repository::of(folder.unwrap_or(Path::new("."))) {
        Ok(Some(repository)) => repository,
        Ok(None) => return SourceTexts::default(),
        Err(error) => {
            terminal::warn(&format!("functions are matched by name alone: {error}"));
            return SourceTexts::default();
        }
    };
    let renamed = repository.renamed(&of_base, &of_new).into_iter();
    let texts = SourceTexts {
        base: texts(&repository, &of_base, base),
        new: texts(&repository, &of_new, new),
        renamed: renamed
            .map(|(base, new)| RenamedFile { base, new })
            .collect(),
    };
    if of_base.commit != of_new.commit && (texts.base.is_empty() || texts.new.is_empty()) {
        terminal::warn(
            "functions are matched by name alone: this repository has not the sources of both commits; name another by --source-dir, or git fetch",
        );
    }
    texts
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
