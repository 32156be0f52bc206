//! Comparing captures for the editor.

use capture::own::{OwnCode, OwnFunction, OwnSource};
use capture::reader::Capture;
use compare::answer::Comparison;
use compare::{
    CaptureToCompare, Choice, Comment, Gate, Measure, Note, NoteKind, Options, Page, Refused,
    RenamedFile, Side, SourceFile, SourceTexts, difference_page, markdown, shown_rows,
};
use serde::{Deserialize, Serialize};
use shared_map::{HashMap, HashSet};

use crate::judged_conditions::{JudgedCondition, judged};
use crate::read_capture::{ReadCapture, capture_of, read_at_once};
use crate::unread_capture::UnreadCapture;

/// Rows in the table of a page, as many as `extrospect diff` shows without `-n`.
const PAGE_ROWS: usize = 30;

/// The sides to compare, and how.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct CompareRequest {
    /// The older side.
    pub base: SideRequest,
    /// The newer side.
    pub new: SideRequest,
    /// The normalisation; per unit of work where every capture has counted work, else shares.
    pub measure: Option<Measure>,
    /// Captures with time in the kernel are compared with captures without it, too.
    #[serde(default)]
    pub anyway: bool,
    /// Sources of the older side, by the path that captures name.
    pub base_texts: std::collections::HashMap<String, TextRequest>,
    /// The same of the newer side.
    pub new_texts: std::collections::HashMap<String, TextRequest>,
    /// Files that git reports as renamed, or that one commit lacks: the path in the repository on the older side and the
    /// path on the newer side, empty where that has none.
    pub renamed: Vec<(String, String)>,
    /// Headers of Erlang that differ between both commits: paths in the repository.
    #[serde(default)]
    #[cfg_attr(feature = "ts-rs", ts(optional, as = "Option<Vec<String>>"))]
    pub changed_headers: Vec<String>,
    /// The other headers of the newer commit, where any differ.
    #[serde(default)]
    #[cfg_attr(feature = "ts-rs", ts(optional, as = "Option<Vec<TextRequest>>"))]
    pub headers: Vec<TextRequest>,
    /// Files of Erlang modules that differ between both commits: paths in the repository.
    #[serde(default)]
    #[cfg_attr(feature = "ts-rs", ts(optional, as = "Option<Vec<String>>"))]
    pub changed_modules: Vec<String>,
    /// The settings of rebar3 (`rebar.config`) of the newer commit, where a module differs.
    #[serde(default)]
    #[cfg_attr(feature = "ts-rs", ts(optional, as = "Option<Vec<TextRequest>>"))]
    pub settings: Vec<TextRequest>,
    /// Files with settings of the build or versions of dependencies that differ between both commits: paths in the
    /// repository.
    #[serde(default)]
    #[cfg_attr(feature = "ts-rs", ts(optional, as = "Option<Vec<String>>"))]
    pub changed_build: Vec<String>,
    /// Files of Elixir that differ between both commits, as each of them has it.
    #[serde(default)]
    #[cfg_attr(feature = "ts-rs", ts(optional, as = "Option<Vec<TextRequest>>"))]
    pub changed_elixir: Vec<TextRequest>,
    /// The other files of Elixir of the newer commit, where one with macros differs.
    #[serde(default)]
    #[cfg_attr(feature = "ts-rs", ts(optional, as = "Option<Vec<TextRequest>>"))]
    pub other_elixir: Vec<TextRequest>,
    /// Files that captures of both sides name and the commits have, whose texts were not read; the most that are read
    /// of a side.
    #[serde(default)]
    #[cfg_attr(feature = "ts-rs", ts(optional, as = "Option<(usize, usize)>"))]
    pub unread_texts: (usize, usize),
    /// Conditions to judge, as `extrospect diff --fail-if` takes them.
    #[serde(default)]
    #[cfg_attr(feature = "ts-rs", ts(optional, as = "Option<Vec<String>>"))]
    pub fail_if: Vec<String>,
    /// The comparison as a text to share, as `extrospect diff` writes it.
    #[serde(default)]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub written: Option<WrittenRequest>,
}

/// A comparison as a text to share.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct WrittenRequest {
    /// The kind of text.
    pub format: WrittenFormat,
    /// Remarks on the sources of both sides, one sentence each, in English.
    pub remarks: Vec<String>,
}

/// A format of `extrospect diff --format`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub enum WrittenFormat {
    /// A page of its own.
    Html,
    /// A comment on a pull request.
    Markdown,
}

/// One side.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct SideRequest {
    /// Name of the side.
    pub name: String,
    /// At least one.
    pub captures: Vec<CaptureRequest>,
}

/// A capture; what `read_capture` made of its file follows the request, those of the base first.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct CaptureRequest {
    /// Name of the capture.
    pub name: String,
    /// Functions of the user's own, each by name and file as the capture has them; null when that is
    /// not known.
    pub own: Option<Vec<(String, String)>>,
    /// The type of its samples to compare: `off-cpu`. The first one that it has where this is absent, and where it
    /// has none of this type.
    #[serde(default)]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub sample_type: Option<String>,
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
    Compared(Box<Compared>),
    /// It was compared, and this is the requested text.
    Written(String),
    /// These cannot be compared.
    Refused(Refused),
    /// A capture cannot be read.
    Unread(UnreadCapture),
    /// The request makes no sense; in English.
    Failed(String),
}

/// A comparison, and the answers to the conditions of the request.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct Compared {
    /// The comparison.
    pub comparison: Comparison,
    /// In the order of the request.
    pub conditions: Vec<JudgedCondition>,
}

/// Compares; see the crate for the bytes.
pub fn compare(message: &[u8]) -> Vec<u8> {
    let all = |parts: &[&[u8]]| parts.iter().map(|read| capture_of(read)).collect();
    answer(message, all)
}

/// The same where there are threads: the files of the captures follow the request, the length before each
/// of them, and are read at once.
pub fn compare_files(message: &[u8]) -> Vec<u8> {
    answer(message, read_at_once)
}

fn answer(message: &[u8], read: impl FnOnce(&[&[u8]]) -> Vec<ReadCapture>) -> Vec<u8> {
    let answer = compared(message, read).unwrap_or_else(|answer| answer);
    // Numbers, texts and lists can always be written.
    serde_json::to_vec(&answer).unwrap_or_default()
}

fn compared(
    message: &[u8],
    read: impl FnOnce(&[&[u8]]) -> Vec<ReadCapture>,
) -> Result<Answer, Answer> {
    let (json, bytes) =
        crate::split(message).ok_or_else(|| Answer::Failed("the request is cut".into()))?;
    let request: CompareRequest =
        named_members::from_slice(json).map_err(|error| Answer::Failed(error.to_string()))?;
    let count = request.base.captures.len() + request.new.captures.len();
    let mut captures = read(&parts(bytes, count)?).into_iter();
    let base = Read::of(&request.base, &mut captures)?;
    let new = Read::of(&request.new, &mut captures)?;
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
            changed_headers: request.changed_headers,
            headers: request.headers.into_iter().map(file).collect(),
            changed_modules: request.changed_modules,
            settings: request.settings.into_iter().map(file).collect(),
            changed_build: request.changed_build,
            changed_elixir: request.changed_elixir.into_iter().map(file).collect(),
            other_elixir: request.other_elixir.into_iter().map(file).collect(),
            unread: request.unread_texts.0,
            most_files: request.unread_texts.1,
        },
        anyway: request.anyway,
        ..Options::default()
    };
    let (base, new) = (base.side(&request.base), new.side(&request.new));
    let compared = match compare::compare(&base, &new, &options) {
        Ok(comparison) => Compared {
            conditions: judged(&request.fail_if, &comparison, request.measure),
            comparison,
        },
        Err(refusal) => return Ok(Answer::Refused(refusal.refused())),
    };
    match request.written {
        None => Ok(Answer::Compared(Box::new(compared))),
        Some(request) => written((&base, &new), compared, request),
    }
}

fn written(
    sides: (&Side<'_>, &Side<'_>),
    Compared {
        mut comparison,
        conditions,
    }: Compared,
    request: WrittenRequest,
) -> Result<Answer, Answer> {
    let (mut gates, mut remarks) = (Vec::new(), request.remarks);
    for JudgedCondition { gate, text, .. } in conditions {
        match gate {
            Some(gate) => gates.push(gate),
            None => remarks.push(text),
        }
    }
    // Both formats show the texts of notes, not their kinds.
    comparison
        .notes
        .extend(remarks.into_iter().map(|text| Note {
            kind: NoteKind::NameAlone,
            values: Vec::new(),
            text,
        }));
    Ok(Answer::Written(match request.format {
        WrittenFormat::Html => page(sides, &comparison, &gates)?,
        WrittenFormat::Markdown => {
            let comment = Comment {
                gates: &gates,
                ..Comment::default()
            };
            markdown(&comparison, &comment)
        }
    }))
}

fn page(
    sides: (&Side<'_>, &Side<'_>),
    comparison: &Comparison,
    gates: &[Gate],
) -> Result<String, Answer> {
    let choice = Choice {
        all: false,
        most: Some(PAGE_ROWS),
    };
    let page = Page {
        comparison,
        gates,
        shown: &shown_rows(comparison, choice),
    };
    difference_page(sides, &page).map_err(|error| Answer::Failed(error.to_string()))
}

fn texts(requests: std::collections::HashMap<String, TextRequest>) -> HashMap<String, SourceFile> {
    let files = requests.into_iter();
    files
        .map(|(reported, text)| (reported, file(text)))
        .collect()
}

fn file(TextRequest { path, text }: TextRequest) -> SourceFile {
    SourceFile { path, text }
}

/// That many parts, one after the other.
fn parts(mut bytes: &[u8], count: usize) -> Result<Vec<&[u8]>, Answer> {
    let mut parts = Vec::new();
    for _ in 0..count {
        let (part, behind) =
            crate::split(bytes).ok_or_else(|| Answer::Failed("the captures are cut".into()))?;
        parts.push(part);
        bytes = behind;
    }
    match bytes.is_empty() {
        true => Ok(parts),
        false => Err(Answer::Failed("more captures follow than are named".into())),
    }
}

/// The captures of one side.
struct Read {
    captures: Vec<(Capture, Option<OwnCode>)>,
}

impl Read {
    fn of(
        side: &SideRequest,
        read: &mut impl Iterator<Item = ReadCapture>,
    ) -> Result<Self, Answer> {
        let mut captures = Vec::new();
        for (request, capture) in side.captures.iter().zip(read) {
            let mut capture =
                capture.map_err(|unread| Answer::Unread(unread.named(&request.name)))?;
            if let Some(sample_type) = &request.sample_type {
                // Without it, the comparison is refused: the other side has another type.
                let _ = capture.show(sample_type);
            }
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
