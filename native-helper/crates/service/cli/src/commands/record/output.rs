//! Where `record` writes to: one file, or files of which the oldest are removed.

use std::path::{Path, PathBuf};

use capture::counted::counted;
use capture::end::CaptureEnd;
use capture::faults::samples_text;
use capture::file::kept::{KeptFile, KeptFiles, Removed};
use capture::file::{CaptureFile, FileError, IfExists};
use capture::quality::QualityRecord;
use serde::Serialize;

use crate::arguments::Record;
use crate::failure::Failure;
use crate::terminal::{self, print_line};

/// The file or files to write.
#[derive(Debug)]
pub enum Output {
    /// One file.
    One(CaptureFile),
    /// Files of a capture without an end.
    Kept(Box<KeptFiles>),
}

/// The files that were written.
#[derive(Debug)]
pub struct Written {
    /// The file, or the last one.
    pub path: PathBuf,
    /// Its size, or that of all files.
    pub bytes: u64,
    /// With `--keep`.
    pub kept: Option<Kept>,
}

/// The output of `record --keep --json` about its files.
#[derive(Debug, Serialize)]
pub struct Kept {
    /// Those that are there, oldest first.
    pub files: Vec<KeptRow>,
    /// Files that were removed, those of earlier runs included.
    pub removed_files: u64,
    /// Their size.
    pub removed_bytes: u64,
    /// Samples of processor time in those of this run.
    pub removed_samples: u64,
    /// Blocks in those of this run.
    pub removed_blocks: u64,
    /// Samples of page faults in those of this run.
    pub removed_fault_samples: u64,
    /// Of the files those that had to go early, since the disk was full.
    pub removed_for_room: u64,
}

/// One of the files.
#[derive(Debug, Serialize)]
pub struct KeptRow {
    file: PathBuf,
    bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    samples: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    blocks: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fault_samples: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    from_s: Option<f64>,
    until_s: f64,
}

impl Kept {
    /// Samples of all types that are in none of the files.
    pub fn removed_of_all_types(&self) -> u64 {
        [self.removed_blocks, self.removed_fault_samples]
            .into_iter()
            .fold(self.removed_samples, u64::saturating_add)
    }
}

impl Output {
    /// Creates the file at `path`, or its counterpart with `--keep`.
    pub fn create(arguments: &Record, path: &Path) -> Result<Self, FileError> {
        if let Some(keep) = arguments.keep() {
            return KeptFiles::create(path, keep).map(|files| Self::Kept(Box::new(files)));
        }
        let if_exists = match arguments.force {
            true => IfExists::Overwrite,
            false => IfExists::Refuse,
        };
        CaptureFile::create(path, if_exists).map(Self::One)
    }

    /// Appends an increment.
    pub fn append(&mut self, member: &[u8]) -> Result<(), FileError> {
        match self {
            Self::One(file) => file.append(member),
            Self::Kept(files) => files.append(member),
        }
    }

    /// Notes that sampling ended without a last increment, in the quality as of the one before, too. Of the files of
    /// `--keep` the last one alone ended so, and has the record of its own time.
    pub fn end_early(&mut self, quality: &mut QualityRecord) {
        match self {
            // Without it the file has the record of its last increment.
            Self::One(file) => drop(file.end_early(quality)),
            Self::Kept(files) => {
                quality.end_early();
                files.end_early();
            }
        }
    }

    /// A capture that never began leaves nothing.
    pub fn remove_if_empty(self) {
        if let Self::One(file) = self {
            file.remove_if_empty();
        }
    }

    /// Marks the end of a file that is not completed, since the command fails.
    pub fn mark_end(&mut self, reason: CaptureEnd) {
        match self {
            // Without the mark it opens as one that was not closed.
            Self::One(file) => drop(file.mark_end(reason)),
            Self::Kept(files) => files.mark_end(reason),
        }
    }

    /// Completes the written files, of which the last one ended for this reason.
    pub fn finish(self, path: PathBuf, reason: CaptureEnd) -> Written {
        match self {
            Self::One(mut file) => {
                // Without the mark it opens as one that was not closed.
                let _ = file.mark_end(reason);
                let length = || std::fs::metadata(&path).map_or(0, |metadata| metadata.len());
                let bytes = match length() {
                    // A full disk took no increment.
                    0 => 0,
                    // A capture that cannot be compacted is still a valid one, only larger.
                    _ => file.compact().unwrap_or_else(|error| {
                        terminal::warn(&format!("the capture is kept as it is: {error}"));
                        length()
                    }),
                };
                Written {
                    path,
                    bytes,
                    kept: None,
                }
            }
            Self::Kept(files) => {
                let (files, removed) = files.finish(reason);
                Written {
                    path: files.last().map_or(path, |it| it.path.clone()),
                    bytes: files.iter().map(|it| it.bytes).sum(),
                    kept: Some(kept_of(files, removed)),
                }
            }
        }
    }
}

fn kept_of(files: Vec<KeptFile>, removed: Removed) -> Kept {
    let row = |it: KeptFile| KeptRow {
        file: it.path,
        bytes: it.bytes,
        samples: it.samples,
        blocks: it.blocks,
        fault_samples: it.fault_samples,
        from_s: it.from_s,
        until_s: it.until_s,
    };
    Kept {
        files: files.into_iter().map(row).collect(),
        removed_files: removed.files,
        removed_bytes: removed.bytes,
        removed_samples: removed.samples,
        removed_blocks: removed.blocks,
        removed_fault_samples: removed.fault_samples,
        removed_for_room: removed.for_room,
    }
}

/// `12 samples, 4210 blocks, 7 samples of page faults`; `None` where none of these is known.
fn counted_text(
    samples: Option<u64>,
    blocks: Option<u64>,
    fault_samples: Option<u64>,
) -> Option<String> {
    let texts = [
        samples.map(|samples| counted(samples, "sample")),
        blocks.map(|blocks| counted(blocks, "block")),
        fault_samples.map(samples_text),
    ];
    let texts: Vec<String> = texts.into_iter().flatten().collect();
    (!texts.is_empty()).then(|| texts.join(", "))
}

/// The files for people.
pub fn print_kept(kept: &Kept, bytes: u64) -> Result<(), Failure> {
    for row in &kept.files {
        let samples = counted_text(row.samples, row.blocks, row.fault_samples);
        let samples = samples.unwrap_or_else(|| "of an earlier run".to_owned());
        print_line(&format!(
            "{} ({} bytes, {samples})",
            row.file.display(),
            row.bytes
        ))?;
    }
    let files = counted(kept.files.len() as u64, "file");
    print_line(&format!("kept: {files}, {bytes} bytes"))?;
    if kept.removed_files > 0 {
        let early = match kept.removed_for_room {
            0 => String::new(),
            files => format!(", {files} of the files early, since the disk was full"),
        };
        print_line(&format!(
            "removed: {} with {} of this run{early}",
            counted(kept.removed_files, "older file"),
            removed_text(kept),
        ))?;
    }
    Ok(())
}

/// Of the types that the files have.
fn removed_text(kept: &Kept) -> String {
    let of_this_run = || kept.files.iter().filter(|row| row.from_s.is_some());
    let has_samples = of_this_run().all(|row| row.samples.is_some());
    let has_blocks = of_this_run().any(|row| row.blocks.is_some());
    let has_faults = of_this_run().any(|row| row.fault_samples.is_some());
    let samples = has_samples.then_some(kept.removed_samples);
    let blocks = has_blocks.then_some(kept.removed_blocks);
    let fault_samples = has_faults.then_some(kept.removed_fault_samples);
    counted_text(samples, blocks, fault_samples).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_the_numbers_of_their_types() {
        let text =
            |samples, blocks, faults| counted_text(samples, blocks, faults).unwrap_or_default();
        assert_eq!(text(Some(12), None, None), "12 samples");
        assert_eq!(text(Some(1), Some(4_210), None), "1 sample, 4210 blocks");
        assert_eq!(text(None, Some(1), None), "1 block");
        assert_eq!(
            text(Some(2), None, Some(7)),
            "2 samples, 7 samples of page faults"
        );
        assert_eq!(text(None, None, Some(1)), "1 sample of page faults");
        assert_eq!(text(None, None, None), "");
    }

    #[test]
    fn removed_files_have_those_of_the_files_that_are_there() {
        let row = |samples, blocks, from_s| KeptRow {
            file: PathBuf::new(),
            bytes: 1,
            samples,
            blocks,
            fault_samples: None,
            from_s,
            until_s: 2.0,
        };
        let removed = |files| Kept {
            files,
            removed_files: 3,
            removed_bytes: 4,
            removed_samples: 5,
            removed_blocks: 6,
            removed_fault_samples: 7,
            removed_for_room: 0,
        };
        let text = |files| removed_text(&removed(files));
        let earlier = || row(None, None, None);
        assert_eq!(
            text(vec![earlier(), row(Some(1), None, Some(1.0))]),
            "5 samples"
        );
        assert_eq!(
            text(vec![row(Some(1), Some(1), Some(1.0))]),
            "5 samples, 6 blocks"
        );
        assert_eq!(
            text(vec![earlier(), row(None, Some(1), Some(1.0))]),
            "6 blocks"
        );
        assert_eq!(text(vec![earlier()]), "5 samples");
        let of_faults = KeptRow {
            fault_samples: Some(1),
            ..row(Some(1), None, Some(1.0))
        };
        assert_eq!(text(vec![of_faults]), "5 samples, 7 samples of page faults");
        assert_eq!(removed(Vec::new()).removed_of_all_types(), 18);
    }
}
