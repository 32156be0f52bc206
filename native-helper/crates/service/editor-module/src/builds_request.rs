//! Builds of a workspace, for the editor.

use builds::file::WorkspaceFile;
use builds::matching::{FoundBuilds, find};
use capture::facts::BuildFacts;
use serde::{Deserialize, Serialize};

/// Files of a workspace, to compare with the facts of a capture about its build.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct BuildsRequest {
    /// The facts of the capture.
    pub facts: BuildFacts,
    /// Modules, sources and descriptions of projects.
    pub files: Vec<FileRequest>,
}

/// A file.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct FileRequest {
    /// Path below the workspace, with slashes.
    pub path: String,
    /// When it was changed, milliseconds since 1970.
    #[cfg_attr(feature = "ts-rs", ts(type = "number"))]
    pub modified_ms: u64,
    /// How many of the bytes after the request are its content; null when that is not there.
    pub bytes: Option<usize>,
}

/// The builds, or the reason why there are none.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "type", content = "value")]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub enum BuildsAnswer {
    /// The builds.
    Found(FoundBuilds),
    /// The request makes no sense; in English.
    Failed(String),
}

/// Finds; see the crate for the bytes.
pub fn builds(message: &[u8]) -> Vec<u8> {
    let answer = found(message).unwrap_or_else(BuildsAnswer::Failed);
    // Numbers, texts and lists can always be written.
    serde_json::to_vec(&answer).unwrap_or_default()
}

fn found(message: &[u8]) -> Result<BuildsAnswer, String> {
    let (json, mut rest) = crate::split(message).ok_or("the request is cut")?;
    let request: BuildsRequest =
        named_members::from_slice(json).map_err(|error| error.to_string())?;
    let mut files = Vec::with_capacity(request.files.len());
    for file in &request.files {
        let content = match file.bytes {
            Some(bytes) => {
                let (content, behind) = rest.split_at_checked(bytes).ok_or("the files are cut")?;
                rest = behind;
                Some(content)
            }
            None => None,
        };
        files.push(WorkspaceFile {
            path: &file.path,
            modified_ms: file.modified_ms,
            content,
        });
    }
    Ok(BuildsAnswer::Found(find(&request.facts.bounded(), &files)))
}
