//! Why something could not be learnt from `/proc`.

use std::io;

/// Why a `/proc` file of a process could not be read or understood.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProcError {
    /// The process (or thread) is not there, or ended while it was being read.
    #[error("no process {pid}")]
    NoSuchProcess {
        /// Process id as this namespace numbers it.
        pid: u32,
    },
    /// The kernel refuses; usually another user's process.
    #[error("not permitted to read /proc/{pid}/{file}")]
    PermissionDenied {
        /// Process id.
        pid: u32,
        /// File below `/proc/PID`.
        file: String,
    },
    /// Any other error of the kernel.
    #[error("reading /proc/{pid}/{file}: {source}")]
    Io {
        /// Process id.
        pid: u32,
        /// File below `/proc/PID`.
        file: String,
        /// The error of the kernel.
        source: io::Error,
    },
    /// The file is longer than any honest one.
    #[error("/proc/{pid}/{file} is longer than {limit_bytes} bytes")]
    TooLong {
        /// Process id.
        pid: u32,
        /// File below `/proc/PID`.
        file: String,
        /// The most that is read.
        limit_bytes: u64,
    },
    /// `maps` has a line that is no mapping.
    #[error("/proc/{pid}/maps: {source}")]
    Maps {
        /// Process id.
        pid: u32,
        /// The fault in it.
        source: MapsError,
    },
    /// `status` lacks a line that is needed.
    #[error("/proc/{pid}/status: {source}")]
    Status {
        /// Process id.
        pid: u32,
        /// The fault in it.
        source: StatusError,
    },
    /// `stat` does not have the shape the kernel documents.
    #[error("/proc/{pid}/stat has no start time")]
    NoStartTime {
        /// Process id.
        pid: u32,
    },
}

/// `ESRCH`: reading a file of a process that ended after the file was opened.
const NO_SUCH_PROCESS_ERRNO: i32 = 3;

impl ProcError {
    /// Whether the process did not let itself be read in time.
    #[must_use]
    pub fn is_timeout(&self) -> bool {
        matches!(self, Self::Io { source, .. } if source.kind() == io::ErrorKind::TimedOut)
    }

    pub(crate) fn from_io(pid: u32, file: &str, source: io::Error) -> Self {
        if source.raw_os_error() == Some(NO_SUCH_PROCESS_ERRNO) {
            return Self::NoSuchProcess { pid };
        }
        match source.kind() {
            io::ErrorKind::NotFound => Self::NoSuchProcess { pid },
            io::ErrorKind::PermissionDenied => Self::PermissionDenied {
                pid,
                file: file.to_owned(),
            },
            _ => Self::Io {
                pid,
                file: file.to_owned(),
                source,
            },
        }
    }
}

/// The fault in a `maps` text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MapsError {
    /// A line that is no mapping; lines count from 1.
    #[error("line {line} is not a mapping ({what})")]
    BadLine {
        /// Line number from 1.
        line: usize,
        /// The part that is wrong.
        what: &'static str,
    },
    /// Mappings overlap or are not sorted by address, as the kernel prints them.
    #[error("line {line} is out of order")]
    OutOfOrder {
        /// Line number from 1.
        line: usize,
    },
    /// More than are read.
    #[error("more than {most} mappings")]
    TooMany {
        /// How many are read at most.
        most: usize,
    },
}

/// The fault in a `status` text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StatusError {
    /// A line every kernel prints is not there.
    #[error("no line `{0}:`")]
    Missing(&'static str),
    /// A line has a value no kernel prints.
    #[error("line `{0}:` has a strange value")]
    BadValue(&'static str),
}
