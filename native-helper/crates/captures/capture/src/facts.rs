//! The facts in a capture about the program it was taken from, about how it was taken, and about
//! the commit of the sources; and the user's own facts about it.

use std::collections::{BTreeMap, BTreeSet};

use crate::counted::counted;
use crate::limits::MAX_COMMENT_BYTES;
use crate::processors::ProcessorLimits;
use serde::{Deserialize, Serialize};
use shared_sort::Inserted;

/// The VM that was sampled. Text fields are empty when the fact is not known.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TargetFacts {
    /// Process id, as seen by the helper.
    pub pid: u32,
    /// OTP release: `25`.
    pub otp_release: String,
    /// Runtime system version: `13.1.5`.
    pub erts_version: String,
    /// `jit` or `emu`.
    pub flavor: String,
    /// Node name: `rabbit@host`.
    pub node: String,
    /// Build id of the emulator binary, lower-case hex.
    pub build_id: String,
    /// Name of the host.
    pub host: String,
    /// Command line, arguments separated by blanks.
    pub command: String,
    /// Its file names are not those of the recording user: it is in a container, or this could not
    /// be determined. Written only when true.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub other_files: bool,
}

/// How a capture was taken.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CaptureSettings {
    /// Samples per second of CPU time and thread.
    pub frequency_hz: u32,
    /// The sampled event: `cycles` or `cpu-clock`.
    pub event: String,
    /// How Erlang stacks under C code are obtained: `readv`.
    pub engine: String,
    /// Whether kernel frames were requested.
    pub include_kernel: bool,
    /// Version of the helper.
    pub helper_version: String,
    /// Wall-clock time of the start, nanoseconds since 1970.
    pub started_unix_ns: u64,
}

/// The sources that the VM was built from, as far as the repository identifies them. Texts are empty
/// when the fact is not known; without a repository all of them are.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(default)]
pub struct OriginFacts {
    /// Address of the remote, without user name, password and token; empty when there is none.
    pub repository: String,
    /// Name of the commit, lower-case hex: 40 digits, 64 in repositories with SHA-256.
    pub commit: String,
    /// Name of the branch; empty when no branch is checked out.
    pub branch: String,
    /// Tracked files differ from the commit, or this could not be determined.
    pub dirty: bool,
    /// The output of `git describe --tags --always`.
    pub describe: String,
    /// From a source that the capture names (path below the top of the repository, with forward
    /// slashes) to git's hash of the bytes that were on disk.
    pub sources: BTreeMap<String, String>,
    /// The user gave the commit afterwards.
    pub assigned: bool,
}

/// The build that the VM runs, as the VM itself reports it: to find the sources of a capture that was
/// taken elsewhere. Texts are empty when the fact is not known.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(default)]
pub struct BuildFacts {
    /// Name of the release: `shop`.
    pub release: String,
    /// Its version: `1.2.3`.
    pub version: String,
    /// Versions of libraries, by name, from the folders that the capture names: `lib/shop-1.2.3`.
    pub libraries: BTreeMap<String, String>,
    /// From a module that the capture names a function of (without quotes) to the MD5 that the VM has of
    /// it, 32 hexadecimal digits in lower case; of the last one that was loaded.
    pub modules: BTreeMap<String, String>,
    /// Modules that were replaced by another build during the capture.
    pub replaced: BTreeSet<String>,
    /// There are more modules than the list has.
    pub cut: bool,
}

/// Modules of which a capture keeps the MD5; of more, whichever came first.
pub const MAX_BUILD_MODULES: usize = 4096;
/// Libraries of which a capture keeps the version.
pub const MAX_LIBRARIES: usize = 256;
/// Bytes of a name or a version of a release or a library.
pub const MAX_VERSION_BYTES: usize = 100;
/// An atom has at most 255 characters, each of at most four bytes.
const MAX_MODULE_BYTES: usize = 1020;
/// Bytes of all modules as JSON. All other facts about a build take far less than the rest of a
/// comment.
const MAX_MODULES_BYTES: usize = MAX_COMMENT_BYTES - (256 << 10);
/// Quotes, colons and commas of one module.
const SEPARATOR_BYTES: usize = 8;

impl BuildFacts {
    /// The same without values that Extrospect never writes: a capture may come from anywhere.
    #[must_use]
    pub fn bounded(mut self) -> Self {
        let is_text =
            |text: &str| text.len() <= MAX_VERSION_BYTES && !text.contains(char::is_control);
        let is_module = |name: &str| !name.is_empty() && name.len() <= MAX_MODULE_BYTES;
        for text in [&mut self.release, &mut self.version] {
            if !is_text(text) {
                text.clear();
            }
        }
        let libraries = self.libraries.into_iter();
        self.libraries = libraries
            .filter(|(name, version)| is_text(name) && is_text(version))
            .take(MAX_LIBRARIES)
            .inserted();
        let all = self.modules.len();
        let mut bytes = 0;
        let modules = self.modules.into_iter();
        self.modules = modules
            .filter(|(name, md5)| is_module(name) && is_md5(md5))
            .take(MAX_BUILD_MODULES)
            .take_while(|(name, md5)| {
                // It may be among the replaced ones, too.
                bytes += 2 * json_bytes(name) + md5.len() + SEPARATOR_BYTES;
                bytes <= MAX_MODULES_BYTES
            })
            .inserted();
        self.cut |=
            all > self.modules.len() && (all > MAX_BUILD_MODULES || bytes > MAX_MODULES_BYTES);
        self.replaced.retain(|name| self.modules.contains_key(name));
        self
    }
}

/// How long a text is as JSON.
fn json_bytes(text: &str) -> usize {
    serde_json::to_string(text).map_or(0, |json| json.len())
}

/// Whether a text is an MD5, as [`BuildFacts`] has them.
pub fn is_md5(text: &str) -> bool {
    text.len() == 32
        && text
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// The machine during the capture. Texts are empty and numbers 0 when the fact is not known.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct HostFacts {
    /// `AMD EPYC 7B13`.
    pub cpu_model: String,
    /// Frequency governor of the first CPU: `performance`.
    pub governor: String,
    /// CPUs that are online.
    pub cpus: u32,
    /// Frequency of the fastest CPU at each reading, MHz: the mean, the lowest, the highest. Absent where the kernel does
    /// not report a measured one, as in most virtual machines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mhz: Option<[u32; 3]>,
    /// Load average of the last minute, at the start of the capture. Absent in later files of one capture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub load: Option<f64>,
    /// Other processes that took more than 5 % of a CPU during the capture, most first, at most
    /// eight. None in later files of one capture.
    pub busy: Vec<BusyProcess>,
}

/// A process that was neither the target nor the helper.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct BusyProcess {
    /// Its name, never its arguments.
    pub name: String,
    /// CPU time during the capture, percent of one CPU.
    pub cpu_pct: f64,
}

/// The user's note, tags and pin of a capture.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct UserFacts {
    /// Any text.
    pub note: String,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// Kept when old captures are deleted.
    pub pinned: bool,
}

/// Work of the program that was counted when the capture began and when it ended.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct WorkFacts {
    /// Name of the unit of work: `orders`.
    pub name: String,
    /// The counter when the capture began.
    pub at_start: f64,
    /// When that was, milliseconds since 1970.
    pub start_unix_ms: u64,
    /// The counter when the capture had ended; `None` until then, and when it could not be read.
    pub at_end: Option<f64>,
    /// When that was, milliseconds since 1970; 0 when it was not.
    pub end_unix_ms: u64,
    /// Why the counter could not be read at the end, in English; empty when it could.
    pub problem: String,
}

/// Facts about a profile of another tool that was converted to a capture.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ImportFacts {
    /// Its format: `folded stacks`.
    pub format: String,
    /// The sampled event; empty when not known.
    pub event: String,
    /// Samples that the other tool reports as lost; at least, 0 where their number is not known. Absent where it reports
    /// none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lost: Option<u64>,
    /// The omissions of the conversion, in English.
    pub notes: Vec<String>,
}

impl ImportFacts {
    /// The sentence above the figures about samples that were lost; `None` where none are reported.
    pub fn lost_heading(&self) -> Option<String> {
        let lost = lost_samples_text(self.lost?);
        Some(format!("lost while another tool recorded: {lost}"))
    }
}

/// A number of lost samples as [`ImportFacts`] has it: `at least 12 samples`.
pub fn lost_samples_text(lost: u64) -> String {
    match lost {
        0 => "an unknown number of samples".to_owned(),
        _ => format!("at least {}", counted(lost, "sample")),
    }
}

/// What kept the VM from processors while it was watched where its processes wait: the part of the facts of such a watch
/// that is read here.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct WaitsFacts {
    /// Limits at the last snapshot, and counts of the time until then; null in captures of helpers that did not look.
    pub processors: Option<ProcessorLimits>,
}

/// Prefix of the profile comment that carries the facts of a watch of where processes wait, [`WaitsFacts`] among them.
pub const WAITS_COMMENT: &str = "extrospect/waits ";
/// Prefix of the profile comment that carries [`ImportFacts`] as JSON.
pub const IMPORT_COMMENT: &str = "extrospect/import ";
/// Prefix of the profile comment that carries [`TargetFacts`] as JSON.
pub const TARGET_COMMENT: &str = "extrospect/target ";
/// Prefix of the profile comment that carries [`CaptureSettings`] as JSON.
pub const SETTINGS_COMMENT: &str = "extrospect/settings ";
/// Prefix of the profile comments that carry a [`QualityRecord`](crate::quality::QualityRecord)
/// as JSON. There is one in every increment and the last one counts.
pub const QUALITY_COMMENT: &str = "extrospect/quality ";
/// Prefix of the profile comments that carry [`OriginFacts`] as JSON. The last one counts: later
/// facts are appended as a gzip member of their own.
pub const ORIGIN_COMMENT: &str = "extrospect/origin ";
/// Prefix of the profile comments that carry [`BuildFacts`] as JSON. The last one counts.
pub const BUILD_COMMENT: &str = "extrospect/build ";
/// Prefix of the profile comments that carry [`HostFacts`] as JSON. The last one counts.
pub const HOST_COMMENT: &str = "extrospect/host ";
/// Prefix of the profile comments that carry [`UserFacts`] as JSON. The last one counts, and it is
/// appended like a later origin.
pub const USER_COMMENT: &str = "extrospect/user ";
/// Prefix of the profile comments that carry [`WorkFacts`] as JSON. The last one counts: the first
/// knows no end.
pub const WORK_COMMENT: &str = "extrospect/work ";
