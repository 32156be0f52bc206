//! Compares the builds of a workspace with the modules that a capture names.
//!
//! A build matches wholly when every module of the capture that is in it has the checksum that the VM
//! has, when it lacks none that the workspace has sources or another build of, and when at least one of
//! them is made of the workspace's own sources. Modules that are neither in the build nor the
//! workspace's (those of OTP, as a rule) do not count.

use std::collections::{BTreeMap, BTreeSet};

use capture::facts::BuildFacts;
use serde::Serialize;
use shared_sort::{Inserted, SharedSort};

use crate::beam::Beam;
use crate::file::WorkspaceFile;
use crate::place::{Place, release_of};
use crate::projects::Projects;

/// The most paths and reasons that a list of the result has.
const MOST_REPORTED: usize = 20;

/// The builds that match a capture, with facts about its modules.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct FoundBuilds {
    /// Builds with a module that the capture names: those that match wholly first, then by how many of
    /// the workspace's own modules match.
    pub builds: Vec<BuildMatch>,
    /// Modules of which the capture knows the checksum.
    pub modules: usize,
    /// Those of them that the workspace has sources of.
    pub own_modules: usize,
    /// What a tag of the release's version may be called, the likeliest first.
    pub tags: Vec<String>,
    /// Files that are no modules though they are called so, and why; the first ones.
    pub unreadable: Vec<(String, String)>,
}

/// One build.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct BuildMatch {
    /// Its folder below the workspace; empty for the workspace itself.
    pub build: String,
    /// The VM runs the code that this workspace built.
    pub is_whole: bool,
    /// Modules with the checksum that the VM has.
    pub matching: usize,
    /// Those of them that are made of sources of the workspace.
    pub own_matching: usize,
    /// Modules with another checksum.
    pub differing: Vec<String>,
    /// The workspace's modules that this build lacks.
    pub missing: Vec<String>,
    /// Modules that were replaced during the capture, so that it is of more than one build.
    pub replaced: Vec<String>,
    /// Sources that were changed after they were built, the first ones: the build is not of them.
    pub newer_sources: Vec<String>,
    /// Name of the release in it whose version the capture names; empty when there is none.
    pub release: String,
    /// Its version.
    pub version: String,
}

impl BuildMatch {
    /// Modules that were looked for.
    pub fn modules(&self) -> usize {
        self.matching + self.differing.len() + self.missing.len()
    }
}

/// Whether the content of a file is needed.
pub fn is_read(facts: &BuildFacts, path: &str) -> bool {
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    match name.strip_suffix(".beam") {
        Some(module) => facts.modules.contains_key(module),
        None => matches!(name, "mix.exs" | "gleam.toml"),
    }
}

/// One build, as its files are gone through.
#[derive(Debug, Default)]
struct Seen {
    modules: BTreeMap<String, Vec<SeenModule>>,
    /// When the newest module of each library was built.
    newest: BTreeMap<String, u64>,
    release: Option<(String, String)>,
}

#[derive(Debug)]
struct SeenModule {
    library: String,
    md5: String,
    modified_ms: u64,
}

/// Holds the files of a workspace against a capture.
pub fn find(facts: &BuildFacts, files: &[WorkspaceFile<'_>]) -> FoundBuilds {
    let projects = Projects::of(files);
    let mut unreadable = Vec::new();
    let mut builds: BTreeMap<String, Seen> = BTreeMap::new();
    for file in files {
        if let Some((build, name, version)) = release_of(file.path) {
            let is_it =
                version == facts.version && (facts.release.is_empty() || name == facts.release);
            if is_it {
                builds.entry(build).or_default().release = Some((name, version));
            }
        }
        if !file.path.ends_with(".beam") {
            continue;
        }
        let place = Place::of(file.path);
        let seen = builds.entry(place.build).or_default();
        let newest = seen.newest.entry(place.library.clone()).or_default();
        *newest = file.modified_ms.max(*newest);
        let Some(content) = file.content else {
            continue;
        };
        match Beam::parse(content) {
            Ok(beam) if facts.modules.contains_key(&beam.module) => {
                seen.modules
                    .entry(beam.module)
                    .or_default()
                    .push(SeenModule {
                        library: place.library,
                        md5: beam.md5,
                        modified_ms: file.modified_ms,
                    });
            }
            Ok(_) => {}
            Err(error) if unreadable.len() < MOST_REPORTED => {
                unreadable.push((file.path.to_owned(), error.to_string()));
            }
            Err(_) => {}
        }
    }
    let own = own_modules(facts, &builds, &projects);
    let matches = builds.iter().filter(|(_, seen)| !seen.modules.is_empty());
    let mut matches: Vec<BuildMatch> = matches
        .map(|(build, seen)| match_of(facts, build, seen, &own, &projects))
        .collect();
    matches.shared_sort_by_key(|found| {
        let order = (found.is_whole, found.own_matching, found.matching);
        (std::cmp::Reverse(order), found.build.len())
    });
    FoundBuilds {
        builds: matches,
        modules: facts.modules.len(),
        own_modules: own.len(),
        tags: tag_names(facts),
        unreadable,
    }
}

/// The capture's modules that are the workspace's own: in a library of its own in some build, or called
/// like one of its sources.
fn own_modules<'f>(
    facts: &'f BuildFacts,
    builds: &BTreeMap<String, Seen>,
    projects: &Projects,
) -> BTreeSet<&'f str> {
    let is_own = |module: &&str| {
        let mut seen = builds
            .values()
            .filter_map(|seen| seen.modules.get(*module))
            .flatten();
        seen.any(|seen| projects.is_own(&seen.library)) || projects.source_of(module).is_some()
    };
    facts
        .modules
        .keys()
        .map(String::as_str)
        .filter(is_own)
        .inserted()
}

fn match_of(
    facts: &BuildFacts,
    build: &str,
    seen: &Seen,
    own: &BTreeSet<&str>,
    projects: &Projects,
) -> BuildMatch {
    let mut found = BuildMatch {
        build: build.to_owned(),
        ..BuildMatch::default()
    };
    let mut newer = BTreeSet::new();
    for (module, md5) in &facts.modules {
        let is_own = own.contains(module.as_str());
        let Some(beams) = seen.modules.get(module) else {
            if is_own {
                found.missing.push(module.clone());
            }
            continue;
        };
        if facts.replaced.contains(module) {
            found.replaced.push(module.clone());
        }
        let Some(beam) = beams
            .iter()
            .filter(|beam| beam.md5 == *md5)
            .max_by_key(|beam| beam.modified_ms)
        else {
            found.differing.push(module.clone());
            continue;
        };
        found.matching += 1;
        found.own_matching += usize::from(is_own);
        if let Some(source) = projects
            .source_of(module)
            .filter(|source| source.modified_ms > beam.modified_ms)
        {
            newer.insert(source.path.clone());
        }
        let built = seen.newest.get(&beam.library).copied().unwrap_or(0);
        if let Some(source) = projects
            .newest_of(&beam.library)
            .filter(|source| source.modified_ms > built)
        {
            newer.insert(source.path.clone());
        }
    }
    found.newer_sources = newer.into_iter().take(MOST_REPORTED).collect();
    found.is_whole = found.own_matching > 0
        && found.differing.is_empty()
        && found.missing.is_empty()
        && found.replaced.is_empty()
        && !facts.cut;
    if let Some((name, version)) = &seen.release {
        (found.release, found.version) = (name.clone(), version.clone());
    }
    found
}

/// Names of tags that contain the version of the release.
fn tag_names(facts: &BuildFacts) -> Vec<String> {
    let version = facts.version.as_str();
    let is_part = |text: &str| {
        let fits = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | '+');
        !text.is_empty() && text.chars().all(fits) && !text.starts_with('-') && !text.contains("..")
    };
    if !is_part(version) {
        return Vec::new();
    }
    let mut tags = vec![format!("v{version}"), version.to_owned()];
    if is_part(&facts.release) {
        let name = &facts.release;
        for start in [
            format!("{name}-"),
            format!("{name}-v"),
            format!("{name}_"),
            format!("{name}/"),
        ] {
            tags.push(format!("{start}{version}"));
        }
    }
    tags.push(format!("release-{version}"));
    tags
}

#[cfg(test)]
mod tests;
