//! The file on disk.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod synthetic;

use std::fs;
use std::path::PathBuf;

use capture::file::{CaptureFile, FileError, IfExists};
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

#[test]
fn a_compacted_file_says_the_same() {
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

    let mut single = flate2::bufread::GzDecoder::new(&after[..]);
    std::io::copy(&mut single, &mut std::io::sink()).unwrap();
    assert!(single.into_inner().is_empty(), "one member");
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
fn an_existing_file_is_kept_unless_told() {
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
