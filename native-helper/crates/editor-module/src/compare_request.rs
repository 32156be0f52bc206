//! Comparing captures for the editor.

use std::collections::{HashMap, HashSet};

use capture::own::{OwnCode, OwnFunction, OwnSource};
use capture::reader::Capture;
use compare::answer::Comparison;
use compare::{
    CaptureToCompare, Measure, Options, Refused, RenamedFile, Side, SourceFile, SourceTexts,
};
use serde::{Deserialize, Serialize};

use crate::read_capture::capture_of;

/// What to compare.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct CompareRequest {
    /// The older side.
    pub base: SideRequest,
    /// The newer side.
    pub new: SideRequest,
    /// What is compared; work where every capture has counted it, else shares.
    pub measure: Option<Measure>,
    /// Captures with time in the kernel are compared with captures without it, too.
    #[serde(default)]
    pub anyway: bool,
    /// Sources of the older side, by the path that captures name.
    pub base_texts: HashMap<String, TextRequest>,
    /// The same of the newer side.
    pub new_texts: HashMap<String, TextRequest>,
    /// Paths in the repository on the older side, and those on the newer, of files that git says were
    /// renamed.
    pub renamed: Vec<(String, String)>,
}

/// One side.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct SideRequest {
    /// What it is called.
    pub name: String,
    /// At least one.
    pub captures: Vec<CaptureRequest>,
}

/// A capture; what `read_capture` made of its file follows the request, those of the base first.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct CaptureRequest {
    /// What it is called.
    pub name: String,
    /// Functions of the user's own, each by name and file as the capture has them; null when that is
    /// not known.
    pub own: Option<Vec<(String, String)>>,
}

/// A source file.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct TextRequest {
    /// Path in the repository.
    pub path: String,
    /// Content.
    pub text: String,
}

/// A comparison, or why there is none.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "type", content = "value")]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub enum Answer {
    /// It was compared.
    Compared(Box<Comparison>),
    /// These cannot be compared.
    Refused(Refused),
    /// A file is no capture, or the request makes no sense; in English.
    Failed(String),
}

/// Compares; see the crate for the bytes.
pub fn compare(message: &[u8]) -> Vec<u8> {
    let answer = compared(message).unwrap_or_else(|answer| answer);
    // Numbers, texts and lists can always be written.
    serde_json::to_vec(&answer).unwrap_or_default()
}

fn compared(message: &[u8]) -> Result<Answer, Answer> {
    let (json, bytes) =
        crate::split(message).ok_or_else(|| Answer::Failed("the request is cut".into()))?;
    let request: CompareRequest =
        serde_json::from_slice(json).map_err(|error| Answer::Failed(error.to_string()))?;
    let mut rest = bytes;
    let base = Read::of(&request.base, &mut rest)?;
    let new = Read::of(&request.new, &mut rest)?;
    let options = Options {
        measure: request.measure,
        texts: SourceTexts {
            base: texts(request.base_texts),
            new: texts(request.new_texts),
            renamed: request
                .renamed
                .into_iter()
                .map(|(base, new)| RenamedFile { base, new })
                .collect(),
        },
        anyway: request.anyway,
        ..Options::default()
    };
    match compare::compare(&base.side(&request.base), &new.side(&request.new), &options) {
        Ok(comparison) => Ok(Answer::Compared(Box::new(comparison))),
        Err(refusal) => Ok(Answer::Refused(refusal.refused())),
    }
}

fn texts(requests: HashMap<String, TextRequest>) -> HashMap<String, SourceFile> {
    let files = requests.into_iter().map(|(reported, file)| {
        let TextRequest { path, text } = file;
        (reported, SourceFile { path, text })
    });
    files.collect()
}

/// The captures of one side.
struct Read {
    captures: Vec<(Capture, Option<OwnCode>)>,
}

impl Read {
    fn of(side: &SideRequest, rest: &mut &[u8]) -> Result<Self, Answer> {
        let mut captures = Vec::new();
        for request in &side.captures {
            let (read, behind) =
                crate::split(rest).ok_or_else(|| Answer::Failed("the captures are cut".into()))?;
            *rest = behind;
            let capture = capture_of(read)
                .map_err(|error| Answer::Failed(format!("{}: {error}", request.name)))?;
            let own = request.own.as_deref().map(|own| own_code(&capture, own));
            captures.push((capture, own));
        }
        Ok(Self { captures })
    }

    fn side<'a>(&'a self, request: &SideRequest) -> Side<'a> {
        let both = self.captures.iter().zip(&request.captures);
        let captures = both.map(|((capture, own), request)| CaptureToCompare {
            name: request.name.clone(),
            capture,
            own: own.as_ref(),
        });
        Side {
            name: request.name.clone(),
            captures: captures.collect(),
        }
    }
}

fn own_code(capture: &Capture, own: &[(String, String)]) -> OwnCode {
    let own: HashSet<(&str, &str)> = own
        .iter()
        .map(|(name, file)| (name.as_str(), file.as_str()))
        .collect();
    let function = |index| {
        let view = capture.function(index);
        own.contains(&(view.name, view.file))
            .then_some(OwnFunction {
                counts_for: index,
                source: OwnSource::AsReported,
            })
    };
    OwnCode::new(capture.function_indices().map(function).collect())
}
