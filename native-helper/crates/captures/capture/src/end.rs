//! The end mark of a capture file: its writer adds it, with the reason, when it closes the file. One without it was not
//! closed: it still grows, or its writer was ended (SIGKILL, out of memory). Its room is reserved with each increment, where
//! the file system can do that, so that a full disk does not keep it out.
//!
//! It is a number in a field of the profile that pprof does not have, so that other readers skip it. The first increment
//! in a file comes with [`FileEnd::Open`], and the last number counts. Increments in memory alone have none, as they are no
//! file that has to be closed, and files of earlier versions stay as they were.

use crate::calendar::time_of_day;
use serde::{Deserialize, Serialize};

/// The field of the profile, see `docs/json.md`.
pub(crate) const FILE_END: u64 = 1001;
const OPEN: u64 = 1;
/// More than a mark takes in a file.
#[cfg(unix)]
pub(crate) const MAX_MARK_BYTES: u64 = 64;

/// Why a capture file was closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CaptureEnd {
    /// For a reason without a number, or one of a later version.
    Other,
    /// The user or a signal ended it.
    Stopped,
    /// The requested time was over.
    Duration,
    /// The target has ended.
    TargetGone,
    /// The helper ended in an orderly manner.
    Shutdown,
    /// The file is as large as it may be.
    SizeLimit,
    /// The capture goes on in another file.
    NextFile,
    /// The process that samples has ended.
    SamplingEnded,
    /// There was no room left.
    DiskFull,
    /// It could not be written on.
    WriteFailed,
}

impl CaptureEnd {
    /// In the order of their numbers, which are those of files: only ever added to.
    const ALL: [Self; 10] = [
        Self::Other,
        Self::Stopped,
        Self::Duration,
        Self::TargetGone,
        Self::Shutdown,
        Self::SizeLimit,
        Self::NextFile,
        Self::SamplingEnded,
        Self::DiskFull,
        Self::WriteFailed,
    ];
}

/// What a capture file has about its own end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FileEnd {
    /// Nothing: it is of an earlier version or of another program, or no file.
    #[default]
    NotRecorded,
    /// Its writer has not closed it.
    Open,
    /// Its writer has closed it.
    Closed(CaptureEnd),
}

impl FileEnd {
    pub(crate) fn of_number(number: u64) -> Self {
        let reason = |number: u64| {
            let index = usize::try_from(number - OPEN - 1).ok()?;
            CaptureEnd::ALL.get(index).copied()
        };
        match number {
            0 => Self::NotRecorded,
            OPEN => Self::Open,
            number => Self::Closed(reason(number).unwrap_or(CaptureEnd::Other)),
        }
    }

    pub(crate) fn number(self) -> u64 {
        match self {
            Self::NotRecorded => 0,
            Self::Open => OPEN,
            Self::Closed(reason) => {
                let index = CaptureEnd::ALL.iter().position(|it| *it == reason);
                OPEN + 1 + index.unwrap_or_default() as u64
            }
        }
    }

    /// What the file lacks, when its last increment is of then; `None` where it has all that its writer had.
    pub(crate) fn missing(self, last_unix_ms: u64) -> Option<MissingEnd> {
        let reason = match self {
            Self::Open => MissingEndReason::NotClosed,
            Self::Closed(CaptureEnd::DiskFull) => MissingEndReason::DiskFull,
            Self::Closed(CaptureEnd::WriteFailed) => MissingEndReason::WriteFailed,
            Self::NotRecorded | Self::Closed(_) => return None,
        };
        Some(MissingEnd {
            reason,
            last_unix_ms,
        })
    }
}

/// The samples after the last increment of a file are missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct MissingEnd {
    /// Why.
    pub reason: MissingEndReason,
    /// When the last increment was made, milliseconds since 1970; 0 when that is not known.
    pub last_unix_ms: u64,
}

/// Why the end of a capture is not in its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum MissingEndReason {
    /// The file has no end mark: it is still being written, is a copy from that time, or its writer was ended before it
    /// closed the file.
    NotClosed,
    /// There was no room left.
    DiskFull,
    /// It could not be written on.
    WriteFailed,
}

impl MissingEnd {
    /// A clause for people.
    #[must_use]
    pub fn clause(&self) -> String {
        let why = match self.reason {
            MissingEndReason::NotClosed => {
                "the file was not closed (it is still being written, is a copy from that time, or its writer was ended)"
            }
            MissingEndReason::DiskFull => "the disk was full",
            MissingEndReason::WriteFailed => "writing the file failed",
        };
        let after = match self.last_unix_ms {
            0 => "the last increment".to_owned(),
            ms => format!("{} UTC", time_of_day(ms / 1000)),
        };
        format!("{why}: the samples after {after} are missing")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reason_has_a_number_and_numbers_of_later_versions_are_reasons_too() {
        for reason in CaptureEnd::ALL {
            let end = FileEnd::Closed(reason);
            assert_eq!(FileEnd::of_number(end.number()), end);
        }
        for end in [FileEnd::NotRecorded, FileEnd::Open] {
            assert_eq!(FileEnd::of_number(end.number()), end);
        }
        let other = FileEnd::Closed(CaptureEnd::Other);
        for number in [12, 4711, u64::MAX] {
            assert_eq!(FileEnd::of_number(number), other, "{number}");
        }
    }

    #[test]
    fn a_mark_is_no_longer_than_room_is_left_for_it() {
        for end in [FileEnd::Open, FileEnd::Closed(CaptureEnd::WriteFailed)] {
            assert!(crate::writer::end_mark(end).len() as u64 <= MAX_MARK_BYTES);
        }
    }

    #[test]
    fn the_missing_part_of_a_file_is_named_with_its_time_where_that_is_known() {
        let clause = |end: FileEnd, at| end.missing(at).map(|it| it.clause());
        let open = clause(FileEnd::Open, 1_795_000_000_000).unwrap();
        assert_eq!(
            open,
            "the file was not closed (it is still being written, is a copy from that time, or its writer was ended): the samples after 11:06:40 UTC are missing"
        );
        let full = clause(FileEnd::Closed(CaptureEnd::DiskFull), 0).unwrap();
        assert_eq!(
            full,
            "the disk was full: the samples after the last increment are missing"
        );
        for end in [
            FileEnd::NotRecorded,
            FileEnd::Closed(CaptureEnd::Stopped),
            FileEnd::Closed(CaptureEnd::Other),
        ] {
            assert_eq!(clause(end, 1), None);
        }
    }
}
