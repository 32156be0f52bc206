//! A capture without an end in files of which the oldest are removed: each is a complete capture.

pub(super) mod names;

use std::collections::VecDeque;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;
use std::time::Duration;

use super::{CaptureFile, FileError, IfExists};
use crate::end::{CaptureEnd, MAX_MARK_BYTES};
use crate::faults::FaultsQuality;
use crate::off_cpu::OffCpuQuality;
use crate::quality::QualityRecord;
use crate::rotation::{SegmentPart, Segments};
use names::Stem;

/// The number of files that hold all kept increments, or one more.
const PARTS: u32 = 12;
/// A file is of as much time at least, and at most.
const LENGTH: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(1800));
/// A larger file opens slowly.
const MAX_FILE_BYTES: u64 = 64 << 20;

/// How much is kept; with both, whichever is less.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Keep {
    /// Keeps this last part of the capture, and at most one file more.
    pub age: Option<Duration>,
    /// Files that take no more bytes together, at any moment.
    pub bytes: Option<u64>,
}

impl Keep {
    /// How much of the capture one file holds.
    fn length(&self) -> Duration {
        let part = self.age.map_or(LENGTH.1, |age| age / PARTS);
        part.clamp(LENGTH.0, LENGTH.1)
    }

    fn file_bytes(&self) -> u64 {
        let part = self
            .bytes
            .map_or(MAX_FILE_BYTES, |bytes| bytes / u64::from(PARTS));
        part.min(MAX_FILE_BYTES)
    }
}

/// A file that was kept.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptFile {
    /// Where it is.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// Samples of processor time in it; `None` where that is not recorded, and for one of an earlier run.
    pub samples: Option<u64>,
    /// The same of blocks, the times without a processor. One that goes on counts in the file in which it was written first.
    pub blocks: Option<u64>,
    /// The same of page faults: samples of them.
    pub fault_samples: Option<u64>,
    /// When it begins and ends, seconds after the beginning of the capture; below 0 for one of an
    /// earlier run, of which the beginning is not known.
    pub from_s: Option<f64>,
    /// Its end.
    pub until_s: f64,
}

/// Counts of the removed files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Removed {
    /// Files, those of earlier runs included.
    pub files: u64,
    /// Their size.
    pub bytes: u64,
    /// Samples of processor time in those of this run.
    pub samples: u64,
    /// Blocks in those of this run.
    pub blocks: u64,
    /// Samples of page faults in those of this run.
    pub fault_samples: u64,
    /// Of the files those that had to go early: the disk was full.
    pub for_room: u64,
}

/// The files of one capture.
#[derive(Debug)]
pub struct KeptFiles {
    stem: Stem,
    keep: Keep,
    segments: Segments,
    open: Option<OpenFile>,
    closed: VecDeque<KeptFile>,
    /// Makes the last one of those that are closed smaller, beside sampling: it takes a while.
    compacting: Option<JoinHandle<Option<u64>>>,
    next_number: u64,
    removed: Removed,
}

#[derive(Debug)]
struct OpenFile {
    file: CaptureFile,
    began_ns: u64,
    elapsed_ns: u64,
    quality: QualityRecord,
}

impl KeptFiles {
    /// Files beside `path`, named after it. Those that an earlier run left there count as the oldest.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn create(path: &Path, keep: Keep) -> Result<Self, FileError> {
        let stem = Stem::of(path);
        let failed = |source| FileError::Io {
            action: "read the folder of",
            path: path.to_owned(),
            source,
        };
        let (closed, last_number) = stem.earlier().map_err(failed)?;
        Ok(Self {
            stem,
            keep,
            segments: Segments::default(),
            open: None,
            closed: closed.into(),
            compacting: None,
            next_number: last_number + 1,
            removed: Removed::default(),
        })
    }

    /// Appends an increment of the capture. When there is no room left on the disk, the oldest files
    /// make some.
    ///
    /// # Errors
    /// Like [`CaptureFile::append`]; [`FileError::Io`] also when it is no increment.
    pub fn append(&mut self, member: &[u8]) -> Result<(), FileError> {
        if self.is_full() {
            self.close(CaptureEnd::NextFile);
        }
        let part = self.segments.add(member).map_err(|error| FileError::Io {
            action: "take an increment into",
            path: self.stem.path(),
            source: io::Error::new(io::ErrorKind::InvalidData, error),
        })?;
        self.remove_older(part.elapsed_ns);
        self.make_room(part.member.len() as u64);
        while let Err(error) = self.write(&part) {
            if !wants_room(&error) || !self.remove_oldest() {
                if let Some(empty) = self.open.take_if(|open| open.file.len_bytes() == 0) {
                    empty.file.remove_if_empty();
                }
                return Err(error);
            }
            self.removed.for_room += 1;
        }
        Ok(())
    }

    fn write(&mut self, part: &SegmentPart) -> Result<(), FileError> {
        let mut open = match self.open.take() {
            Some(open) => open,
            None => self.create_file(part)?,
        };
        let written = open.file.append(&part.member);
        if written.is_ok() {
            (open.elapsed_ns, open.quality) = (part.elapsed_ns, part.quality.clone());
        }
        self.open = Some(open);
        written
    }

    fn create_file(&mut self, part: &SegmentPart) -> Result<OpenFile, FileError> {
        let path = self.stem.numbered(self.next_number, part.began_unix_ns);
        let file = CaptureFile::create(&path, IfExists::Refuse)?;
        self.next_number += 1;
        Ok(OpenFile {
            file,
            began_ns: part.began_ns,
            elapsed_ns: part.elapsed_ns,
            quality: part.quality.clone(),
        })
    }

    /// The file that is written has as much as one shall have.
    fn is_full(&self) -> bool {
        self.open.as_ref().is_some_and(|open| {
            let length_ns = self.segments.elapsed_ns().saturating_sub(open.began_ns);
            Duration::from_nanos(length_ns) >= self.keep.length()
                || open.file.len_bytes() >= self.keep.file_bytes()
        })
    }

    /// Completes the file that is written.
    fn close(&mut self, reason: CaptureEnd) {
        self.segments.begin_next();
        let Some(mut open) = self.open.take() else {
            return;
        };
        // Without the mark it opens as one that was not closed.
        let _ = open.file.mark_end(reason);
        self.await_compacted();
        let bytes = open.file.len_bytes();
        // While it is rewritten it is there twice.
        self.remove_until_fits(2 * bytes);
        let quality = &open.quality;
        let (off_cpu, faults) = (quality.off_cpu.as_ref(), quality.faults.as_ref());
        self.closed.push_back(KeptFile {
            path: open.file.path().to_owned(),
            bytes,
            samples: quality.has_processor_time().then_some(quality.samples),
            blocks: off_cpu.and_then(OffCpuQuality::in_stacks),
            fault_samples: faults.and_then(FaultsQuality::in_stacks),
            from_s: Some(seconds(open.began_ns)),
            until_s: seconds(open.elapsed_ns),
        });
        // One that cannot be compacted, or for which there is no thread, is still a capture, only larger.
        let compact = move || open.file.compact().ok();
        let thread = std::thread::Builder::new().name("compact".to_owned());
        self.compacting = thread.spawn(compact).ok();
    }

    /// Waits until no file is being rewritten.
    fn await_compacted(&mut self) {
        let thread = self.compacting.take();
        let compacted = thread.and_then(|it| it.join().ok().flatten());
        if let (Some(bytes), Some(last)) = (compacted, self.closed.back_mut()) {
            last.bytes = bytes;
        }
    }

    /// Removes the files that are older than the age to keep.
    fn remove_older(&mut self, elapsed_ns: u64) {
        let Some(age) = self.keep.age else { return };
        let oldest_s = seconds(elapsed_ns) - age.as_secs_f64();
        while self.closed.front().is_some_and(|it| it.until_s < oldest_s) && self.remove_oldest() {}
    }

    /// Removes the oldest until there is room for `bytes` more.
    fn make_room(&mut self, bytes: u64) {
        if self
            .compacting
            .as_ref()
            .is_some_and(JoinHandle::is_finished)
        {
            self.await_compacted();
        }
        let open = self.open.as_ref().map_or(0, |open| open.file.len_bytes());
        let twice = self.closed.back().filter(|_| self.compacting.is_some());
        let twice = twice.map_or(0, |it| it.bytes);
        // The marks of a file that begins, and of its end.
        self.remove_until_fits(open + twice + bytes + 2 * MAX_MARK_BYTES);
    }

    /// Removes the oldest until `beside` bytes fit beside the rest.
    fn remove_until_fits(&mut self, beside: u64) {
        let Some(most) = self.keep.bytes else { return };
        let taken = |files: &VecDeque<KeptFile>| files.iter().map(|it| it.bytes).sum::<u64>();
        while taken(&self.closed) + beside > most && self.remove_oldest() {}
    }

    /// False when there is none.
    fn remove_oldest(&mut self) -> bool {
        if self.closed.len() == 1 {
            // It would come back when it is rewritten.
            self.await_compacted();
        }
        let Some(oldest) = self.closed.pop_front() else {
            return false;
        };
        // It may be gone already: then another program has removed it.
        let _ = fs::remove_file(&oldest.path);
        self.removed.files += 1;
        self.removed.bytes += oldest.bytes;
        self.removed.samples += oldest.samples.unwrap_or(0);
        self.removed.blocks += oldest.blocks.unwrap_or(0);
        self.removed.fault_samples += oldest.fault_samples.unwrap_or(0);
        true
    }

    /// Records that sampling ended without a last increment, as [`CaptureFile::end_early`] does, in the file that is
    /// written: those before it are complete.
    pub fn end_early(&mut self) {
        let Some(mut open) = self.open.take() else {
            return;
        };
        // The record is smaller than the file, which has one already.
        self.make_room(2 * open.file.len_bytes());
        // Without it the file has the record of its last increment.
        let _ = open.file.end_early(&mut open.quality);
        self.open = Some(open);
    }

    /// Marks the end of the file that is written, which is not completed.
    pub fn mark_end(&mut self, reason: CaptureEnd) {
        if let Some(open) = &mut self.open {
            // Without the mark it opens as one that was not closed.
            let _ = open.file.mark_end(reason);
        }
    }

    /// Completes the last file, which ended for this reason. Returns the files that are there and the counts of the
    /// removed ones.
    pub fn finish(mut self, reason: CaptureEnd) -> (Vec<KeptFile>, Removed) {
        self.close(reason);
        self.await_compacted();
        (self.closed.into(), self.removed)
    }
}

fn wants_room(error: &FileError) -> bool {
    match error {
        FileError::DiskFull { .. } => true,
        FileError::Io { source, .. } => matches!(
            source.kind(),
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
        ),
        _ => false,
    }
}

fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}
