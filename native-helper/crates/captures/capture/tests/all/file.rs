//! The file on disk.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

use crate::synthetic;
use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};

use capture::end::{CaptureEnd, FileEnd, MissingEndReason};
use capture::file::{CaptureFile, FileError, IfExists, NotOurs};
use capture::reader::Capture;

struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("capture-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).unwrap();
        entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect()
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Where the gzip members of a file end.
fn member_ends(bytes: &[u8]) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        let mut member = flate2::bufread::GzDecoder::new(rest);
        std::io::copy(&mut member, &mut std::io::sink()).unwrap();
        rest = member.into_inner();
        ends.push(bytes.len() - rest.len());
    }
    ends
}

#[test]
fn a_large_compacted_file_is_of_members_that_can_be_read_one_after_the_other() {
    let directory = Directory::new("members");
    let path = directory.0.join("a.pb.gz");
    let mut file = CaptureFile::create(&path, IfExists::Refuse).unwrap();
    for member in synthetic::increments(9, 12, 12_000, 9_000) {
        file.append(&member).unwrap();
    }
    let before = Capture::from_bytes(&fs::read(&path).unwrap()).unwrap();
    file.compact().unwrap();
    let after = fs::read(&path).unwrap();
    let ends = member_ends(&after);
    assert!(ends.len() > 1, "{ends:?}");
    let mut samples = 0;
    for end in ends {
        // Whatever a member refers to is in it or before it.
        let so_far = Capture::from_bytes(&after[..end]).unwrap();
        assert!(!so_far.truncated() && so_far.total_samples() > samples);
        samples = so_far.total_samples();
    }
    assert_eq!(samples, before.total_samples());
    let after = Capture::from_bytes(&after).unwrap();
    assert_eq!(before.samples(), after.samples());
}

#[test]
fn a_compacted_file_has_the_same_contents() {
    let directory = Directory::new("compact");
    let path = directory.0.join("a.pb.gz");
    let mut file = CaptureFile::create(&path, IfExists::Refuse).unwrap();
    for member in synthetic::increments(9, 4, 200, 20) {
        file.append(&member).unwrap();
        let so_far = Capture::from_bytes(&fs::read(&path).unwrap()).unwrap();
        assert!(!so_far.truncated() && so_far.total_samples() > 0);
    }
    let before = fs::read(&path).unwrap();
    assert_eq!(file.len_bytes(), before.len() as u64);
    let len_bytes = file.compact().unwrap();
    let after = fs::read(&path).unwrap();
    assert_eq!(len_bytes, after.len() as u64);
    assert!(after.len() < before.len());
    assert_eq!(directory.files(), ["a.pb.gz"]);

    assert_eq!(member_ends(&after), [after.len()]);
    let (before, after) = (
        Capture::from_bytes(&before).unwrap(),
        Capture::from_bytes(&after).unwrap(),
    );
    assert_eq!(before.samples(), after.samples());
    assert_eq!(before.quality(), after.quality());
    assert_eq!(
        (before.comments().count(), after.comments().count()),
        (6, 3)
    );
    assert_eq!(
        (before.target(), before.settings()),
        (after.target(), after.settings())
    );
    for index in before.function_indices() {
        assert_eq!(before.function(index), after.function(index));
    }
}

#[test]
fn a_file_that_its_writer_did_not_close_is_marked_until_it_is_closed() {
    let directory = Directory::new("end");
    let path = directory.0.join("a.pb.gz");
    let mut file = CaptureFile::create(&path, IfExists::Refuse).unwrap();
    file.mark_end(CaptureEnd::Stopped).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"", "it is no capture yet");
    let read = || Capture::from_bytes(&fs::read(&path).unwrap()).unwrap();
    let members = synthetic::increments(9, 3, 200, 20);
    for member in &members {
        file.append(member).unwrap();
        assert_eq!(read().file_end(), FileEnd::Open);
        let missing = read().quality().unwrap().gaps.missing_end.unwrap();
        assert_eq!(missing.reason, MissingEndReason::NotClosed);
        let last_ns = read().started_unix_ns() + read().duration_ns();
        assert_eq!(missing.last_unix_ms, last_ns / 1_000_000);
        assert!(read().headings().contains(&missing.clause()));
    }
    // A file that is cut within an increment has lost its end, with or without a mark.
    let bytes = fs::read(&path).unwrap();
    let cut = Capture::from_bytes(&bytes[..bytes.len() - 9]).unwrap();
    assert!(cut.truncated());
    assert_eq!(cut.quality().unwrap().gaps.missing_end, None);

    file.mark_end(CaptureEnd::Duration).unwrap();
    assert_eq!(file.len_bytes(), fs::metadata(&path).unwrap().len());
    let closed = FileEnd::Closed(CaptureEnd::Duration);
    assert_eq!(read().file_end(), closed);
    assert_eq!(read().quality().unwrap().gaps.missing_end, None);
    file.compact().unwrap();
    assert_eq!(read().file_end(), closed);
    let handed_over = Capture::from_decoded(&read().to_decoded()).unwrap();
    assert_eq!(handed_over.file_end(), closed);
    // Increments that are in no file, and files of earlier versions, have nothing to close.
    let stream = Capture::from_bytes(&members.concat()).unwrap();
    assert_eq!(stream.file_end(), FileEnd::NotRecorded);
    assert_eq!(stream.quality().unwrap().gaps.missing_end, None);
}

#[test]
fn a_copy_has_the_bytes_of_its_original_and_no_mark_of_its_own() {
    let directory = Directory::new("copy");
    let [original, copied] = ["a.pb.gz", "b.pb.gz"].map(|name| directory.0.join(name));
    let mut file = CaptureFile::create(&original, IfExists::Refuse).unwrap();
    for member in synthetic::increments(9, 3, 200, 20) {
        file.append(&member).unwrap();
    }
    file.mark_end(CaptureEnd::Duration).unwrap();
    let bytes = fs::read(&original).unwrap();
    let mut copy = CaptureFile::create(&copied, IfExists::Refuse).unwrap();
    // Most of the parts end within a member.
    for part in bytes.chunks(100) {
        copy.append_as_is(part).unwrap();
    }
    assert_eq!(copy.len_bytes(), bytes.len() as u64);
    assert_eq!(fs::read(&copied).unwrap(), bytes);
}

#[test]
fn an_existing_file_is_kept_unless_requested() {
    let directory = Directory::new("exists");
    let path = directory.0.join("a.pb.gz");
    fs::write(&path, "precious").unwrap();
    let error = CaptureFile::create(&path, IfExists::Refuse).unwrap_err();
    assert!(matches!(error, FileError::Exists { .. }), "{error}");
    assert_eq!(fs::read(&path).unwrap(), b"precious");
    CaptureFile::create(&path, IfExists::Overwrite).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"");
}

#[test]
fn a_failed_compaction_leaves_the_file() {
    let directory = Directory::new("damaged");
    let path = directory.0.join("a.pb.gz");
    let mut file = CaptureFile::create(&path, IfExists::Refuse).unwrap();
    let members = synthetic::increments(9, 2, 200, 20);
    file.append(&members[0]).unwrap();
    file.append(&members[1][..members[1].len() / 2]).unwrap();
    let before = fs::read(&path).unwrap();
    assert!(matches!(
        file.compact(),
        Err(FileError::Io {
            action: "compact",
            ..
        })
    ));
    assert_eq!(fs::read(&path).unwrap(), before);
    assert_eq!(directory.files(), ["a.pb.gz"]);
}

#[test]
fn a_full_disk_is_told_apart() {
    let mut file = CaptureFile::create("/dev/full".as_ref(), IfExists::Overwrite).unwrap();
    let error = file.append(b"anything").unwrap_err();
    assert!(
        matches!(error, FileError::DiskFull { kept_bytes: 0, .. }),
        "{error}"
    );
}

#[test]
fn the_mark_of_the_end_has_its_room_before_the_file_ends() {
    const BLOCK: u64 = 4096;
    let directory = Directory::new("room");
    let path = directory.0.join("a.pb.gz");
    let mut file = CaptureFile::create(&path, IfExists::Refuse).unwrap();
    file.append(b"an increment").unwrap();
    // Up to the end of a block, in which nothing more has room.
    let rest = BLOCK - file.len_bytes() % BLOCK;
    file.append(&vec![0; rest as usize]).unwrap();
    let found = fs::metadata(&path).unwrap();
    assert_eq!(found.len(), file.len_bytes(), "it is no longer for that");
    assert_eq!(found.len() % BLOCK, 0);
    assert!(found.blocks() * 512 > found.len(), "{}", found.blocks());
}

/// Not the user who runs the tests.
const SOMEBODY: u32 = 4711;

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn captures_are_for_their_user_alone() {
    let directory = Directory::new("private");
    let path = directory.0.join("a.pb.gz");
    let mut file = CaptureFile::create(&path, IfExists::Refuse).unwrap();
    assert_eq!(mode(&path), 0o600);
    for member in synthetic::increments(9, 2, 20, 5) {
        file.append(&member).unwrap();
    }
    file.compact().unwrap();
    assert_eq!(mode(&path), 0o600);
    fs::set_permissions(&path, PermissionsExt::from_mode(0o666)).unwrap();
    CaptureFile::create(&path, IfExists::Overwrite).unwrap();
    assert_eq!(mode(&path), 0o600);
}

#[test]
fn a_planted_symbolic_link_is_not_written_through() {
    let directory = Directory::new("link");
    let (path, precious) = (directory.0.join("a.pb.gz"), directory.0.join("precious"));
    fs::write(&precious, "precious").unwrap();
    symlink(&precious, &path).unwrap();
    let refused = CaptureFile::create(&path, IfExists::Refuse).unwrap_err();
    assert!(matches!(refused, FileError::Exists { .. }), "{refused}");
    let refused = CaptureFile::create(&path, IfExists::Overwrite).unwrap_err();
    assert!(
        matches!(
            refused,
            FileError::NotOurs {
                reason: NotOurs::SymbolicLink,
                ..
            }
        ),
        "{refused}"
    );
    assert_eq!(fs::read(&precious).unwrap(), b"precious");
}

#[test]
fn compacting_does_not_write_through_what_was_planted_beside_the_file() {
    let directory = Directory::new("beside");
    let (path, precious) = (directory.0.join("a.pb.gz"), directory.0.join("precious"));
    fs::write(&precious, "precious").unwrap();
    let beside = format!("a.pb.gz.compact-{}", std::process::id());
    symlink(&precious, directory.0.join(beside)).unwrap();
    let mut file = CaptureFile::create(&path, IfExists::Refuse).unwrap();
    for member in synthetic::increments(9, 2, 20, 5) {
        file.append(&member).unwrap();
    }
    file.compact().unwrap();
    assert_eq!(fs::read(&precious).unwrap(), b"precious");
    assert!(fs::symlink_metadata(&path).unwrap().is_file());
}

#[test]
fn a_file_that_took_the_name_meanwhile_is_left_alone() {
    let directory = Directory::new("renamed");
    let path = directory.0.join("a.pb.gz");
    let mut file = CaptureFile::create(&path, IfExists::Refuse).unwrap();
    file.append(&synthetic::increments(9, 1, 20, 5)[0]).unwrap();
    fs::rename(&path, directory.0.join("b.pb.gz")).unwrap();
    fs::write(&path, "precious").unwrap();
    let refused = file.compact().unwrap_err();
    assert!(
        matches!(
            refused,
            FileError::NotOurs {
                reason: NotOurs::Replaced,
                ..
            }
        ),
        "{refused}"
    );
    assert_eq!(fs::read(&path).unwrap(), b"precious");
    assert_eq!(directory.files().len(), 2);
}

#[test]
fn files_of_another_user_or_with_another_name_are_not_overwritten() {
    let directory = Directory::new("others");
    let path = directory.0.join("a.pb.gz");
    fs::write(&path, "precious").unwrap();
    fs::hard_link(&path, directory.0.join("b.pb.gz")).unwrap();
    let reason = |error| match error {
        FileError::NotOurs { reason, .. } => reason,
        other => panic!("{other}"),
    };
    let refused = CaptureFile::create(&path, IfExists::Overwrite).unwrap_err();
    assert_eq!(reason(refused), NotOurs::HardLinked);
    fs::remove_file(directory.0.join("b.pb.gz")).unwrap();
    // Only root may give something away.
    if chown(&path, Some(SOMEBODY), None).is_ok() {
        let refused = CaptureFile::create(&path, IfExists::Overwrite).unwrap_err();
        assert_eq!(reason(refused), NotOurs::OtherOwner);
    }
    assert_eq!(fs::read(&path).unwrap(), b"precious");
}

#[test]
fn a_device_stays_a_device() {
    let directory = Directory::new("device");
    let path = directory.0.join("full");
    let made = std::process::Command::new("mknod")
        .args([path.as_os_str(), "c".as_ref(), "1".as_ref(), "3".as_ref()])
        .status();
    // Only root may make one.
    if !made.is_ok_and(|made| made.success()) {
        return;
    }
    let file = CaptureFile::create(&path, IfExists::Overwrite).unwrap();
    file.compact().unwrap();
    let file = CaptureFile::create(&path, IfExists::Overwrite).unwrap();
    file.remove_if_empty();
    let kind = fs::symlink_metadata(&path).unwrap().file_type();
    assert!(kind.is_char_device());
}
