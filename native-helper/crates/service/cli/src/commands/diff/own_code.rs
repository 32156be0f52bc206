//! The user's own code at the time of each capture: by the files of its commit, else by the capture's
//! own record, else by the files of today.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use capture::facts::OriginFacts;
use capture::own::OwnCode;
use capture::reader::Capture;
use commit::{FolderThen, Repository, SourcesMissing};
use compare::{Note, name_of_captures};
use own_code::{SourceFolder, Unseen, find};

use crate::commands::own;
use crate::failure::Failure;

/// Why a capture is not looked up in its commit that has none.
const NO_COMMIT: &str =
    "no commit is known of it; set it with extrospect commit FILE --assign COMMIT";

/// Looks up own code below a folder.
pub struct OwnLook {
    folder: PathBuf,
    repository: Result<Repository, SourcesMissing>,
    then: Vec<Then>,
    today: Option<SourceFolder>,
    /// Captures whose own code does not come from a commit, by its source instead, and the reason.
    otherwise: BTreeMap<(Instead, String), Vec<String>>,
    /// What of the folder was not searched, then or today.
    unseen: BTreeSet<Unseen>,
}

/// The folder when captures were taken.
struct Then {
    folder: FolderThen,
    /// Why its paths are all that is known of it.
    why_by_paths: Option<String>,
}

/// The sources of own code other than a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Instead {
    ByPaths,
    ByToday,
}

impl OwnLook {
    /// In a folder that the user named.
    pub fn below(folder: &Path) -> Result<Self, Failure> {
        own::check_there(folder, own::GIVE_PROJECT)?;
        Ok(Self {
            folder: folder.to_owned(),
            repository: Repository::found(folder),
            then: Vec::new(),
            today: None,
            otherwise: BTreeMap::new(),
            unseen: BTreeSet::new(),
        })
    }

    /// Own code of a capture, whose file is called so.
    pub fn own_code(&mut self, name: &str, capture: &Capture) -> Result<OwnCode, Failure> {
        // The comparison reports an empty capture.
        if capture.total_samples() == 0 {
            return Ok(OwnCode::default());
        }
        let origin = capture.origin();
        let Some(origin) = origin.filter(|origin| !origin.commit.is_empty()) else {
            return self.own_code_of_today(name, capture, NO_COMMIT.to_owned());
        };
        let known = self.then.iter().position(|then| then.folder.is_of(&origin));
        let position = match known.map_or_else(|| self.look_up(&origin), Ok) {
            Ok(position) => position,
            Err(why) => return self.own_code_of_today(name, capture, why),
        };
        let then = &mut self.then[position];
        let found = then.folder.own_code(capture, self.repository.as_ref().ok());
        self.unseen.extend(then.folder.unseen());
        if let Some(why) = then.why_by_paths.clone() {
            self.note(Instead::ByPaths, why, name);
        }
        found.map_err(|nothing| own::not_below(&self.folder, nothing))
    }

    /// What a reader has to know of it.
    pub fn notes(&self) -> Vec<Note> {
        let folder = self.folder.display().to_string();
        let notes = self.otherwise.iter().map(|((instead, why), captures)| {
            let captures = name_of_captures(captures);
            match instead {
                Instead::ByPaths => Note::own_by_paths(&captures, why),
                Instead::ByToday => Note::own_of_today(&captures, &folder, why),
            }
        });
        let unseen = self.unseen.iter();
        let unseen = unseen.map(|unseen| Note::own_cut(&folder, &own::text_of(*unseen)));
        notes.chain(unseen).collect()
    }

    /// Looks for the folder as it was; why it is not known.
    fn look_up(&mut self, origin: &OriginFacts) -> Result<usize, String> {
        let repository = self.repository.as_ref();
        let at_commit = repository
            .map_err(ToString::to_string)
            .and_then(|repository| {
                FolderThen::at_commit(repository, origin, &self.folder)
                    .map_err(|missing| missing.to_string())
            });
        let then = match at_commit {
            Ok(folder) => Then {
                folder,
                why_by_paths: None,
            },
            Err(why) => {
                let by_capture = FolderThen::by_capture(repository.ok(), origin, &self.folder);
                Then {
                    folder: by_capture.ok_or_else(|| why.clone())?,
                    why_by_paths: Some(why),
                }
            }
        };
        self.then.push(then);
        Ok(self.then.len() - 1)
    }

    fn own_code_of_today(
        &mut self,
        name: &str,
        capture: &Capture,
        why: String,
    ) -> Result<OwnCode, Failure> {
        self.note(Instead::ByToday, why, name);
        let sources = match &mut self.today {
            Some(sources) => sources,
            None => self.today.insert(own::open(&self.folder)?),
        };
        let found = find(capture, sources);
        self.unseen.extend(sources.unseen());
        found.map_err(|nothing| own::not_below(&self.folder, nothing))
    }

    fn note(&mut self, instead: Instead, why: String, name: &str) {
        let captures = self.otherwise.entry((instead, why)).or_default();
        captures.push(name.to_owned());
    }
}
