//! The formats of other tools.

use std::fmt;

/// The formats of other tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// `root;...;leaf count`, a stack in each line; also eflambe's files.
    Folded,
    /// The JSON of speedscope.
    Speedscope,
    /// `.cpuprofile` of V8: Node.js, Chrome, VS Code.
    CpuProfile,
    /// What `perf script` prints.
    PerfScript,
    /// The JSON of the Firefox Profiler, which samply writes.
    Firefox,
    /// OpenTelemetry's profiles.
    Otlp,
}

impl Format {
    /// As it is called in captures and messages.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Folded => "folded stacks",
            Self::Speedscope => "speedscope",
            Self::CpuProfile => "cpuprofile",
            Self::PerfScript => "perf script",
            Self::Firefox => "Firefox Profiler",
            Self::Otlp => "OTLP profiles",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
