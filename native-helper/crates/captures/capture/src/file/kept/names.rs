//! The names of the files of a capture without an end: `shop.00012-20261123T140500Z.pb.gz` is the
//! twelfth of `shop.pb.gz` and begins at that time, UTC.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use shared_sort::SharedSort;

use super::KeptFile;
use crate::calendar::{S_PER_DAY, civil};
use crate::file::place;

const ENDING: &str = ".pb.gz";
const NS_PER_S: u64 = 1_000_000_000;

/// The common beginning of their names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stem {
    folder: PathBuf,
    name: String,
}

impl Stem {
    /// Of the files that stand for `path`.
    pub fn of(path: &Path) -> Self {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
        Self {
            folder: folder.unwrap_or(Path::new(".")).to_owned(),
            name: name.strip_suffix(ENDING).unwrap_or(&name).to_owned(),
        }
    }

    /// The name that the user gave.
    pub fn path(&self) -> PathBuf {
        self.folder.join(format!("{}{ENDING}", self.name))
    }

    /// The file with this number, which begins then.
    pub fn numbered(&self, number: u64, began_unix_ns: u64) -> PathBuf {
        let at = utc(began_unix_ns / NS_PER_S);
        let name = format!("{}.{number:05}-{at}{ENDING}", self.name);
        self.folder.join(name)
    }

    /// The number in the name of a file that has this stem.
    fn number_of(&self, name: &str) -> Option<u64> {
        let rest = name.strip_prefix(&self.name)?.strip_prefix('.')?;
        let (number, at) = rest.strip_suffix(ENDING)?.split_once('-')?;
        let is_time = at.len() == "20261123T140500Z".len()
            && at.bytes().enumerate().all(|(index, byte)| match index {
                8 => byte == b'T',
                15 => byte == b'Z',
                _ => byte.is_ascii_digit(),
            });
        let is_number = number.len() >= 5 && number.bytes().all(|it| it.is_ascii_digit());
        (is_time && is_number).then(|| number.parse().ok())?
    }

    /// The files that earlier runs left, oldest first, and the last number. Files that a killed run
    /// left half rewritten are removed.
    pub fn earlier(&self) -> io::Result<(Vec<KeptFile>, u64)> {
        let mut found = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let (whole, leftover) = place::of_leftover(&name);
            let Some(number) = self.number_of(whole) else {
                continue;
            };
            // Not a link, and not another user's.
            let is_ours = |it: &fs::Metadata| it.is_file() && it.uid() == place::own_uid();
            let Some(metadata) = fs::symlink_metadata(entry.path()).ok().filter(is_ours) else {
                continue;
            };
            if leftover {
                // A file that stays is in no other file's way.
                let _ = fs::remove_file(entry.path());
                continue;
            }
            let ended = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            // A clock that was set back makes it as old as the beginning of this run, no younger.
            let age = SystemTime::now().duration_since(ended).unwrap_or_default();
            let file = KeptFile {
                path: entry.path(),
                bytes: metadata.len(),
                samples: None,
                blocks: None,
                fault_samples: None,
                from_s: None,
                until_s: -age.as_secs_f64(),
            };
            found.push((number, file));
        }
        found.shared_sort_by_key(|(number, _)| *number);
        let last = found.last().map_or(0, |(number, _)| *number);
        Ok((found.into_iter().map(|(_, file)| file).collect(), last))
    }
}

/// `20261123T140500Z`.
fn utc(unix_s: u64) -> String {
    let (days, second) = (unix_s / S_PER_DAY, unix_s % S_PER_DAY);
    let (year, month, day) = civil(days);
    format!(
        "{year:04}{month:02}{day:02}T{:02}{:02}{:02}Z",
        second / 3600,
        second / 60 % 60,
        second % 60
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_is_that_of_the_calendar() {
        for (unix_s, text) in [
            (0, "19700101T000000Z"),
            (951_782_399, "20000228T235959Z"),
            (951_782_400, "20000229T000000Z"),
            (1_709_164_800, "20240229T000000Z"),
            (1_795_442_700, "20261123T140500Z"),
            (4_107_542_400, "21000301T000000Z"),
        ] {
            assert_eq!(utc(unix_s), text);
        }
    }

    #[test]
    fn only_names_of_ours_are_ours() {
        let stem = Stem::of(Path::new("/x/shop.pb.gz"));
        assert_eq!(stem.path(), Path::new("/x/shop.pb.gz"));
        let ours = stem.numbered(12, 1_795_442_700 * NS_PER_S);
        let name = ours.file_name().unwrap().to_str().unwrap();
        assert_eq!(name, "shop.00012-20261123T140500Z.pb.gz");
        assert_eq!(stem.number_of(name), Some(12));
        for other in [
            "shop.pb.gz",
            "shop.00012.pb.gz",
            "shop.00012-20261123T140500Z.pb.gz.bak",
            "shop.0012-20261123T140500Z.pb.gz",
            "shop.00012-20261123 140500Z.pb.gz",
            "shopping.00012-20261123T140500Z.pb.gz",
            "shop-2.00012-20261123T140500Z.pb.gz",
        ] {
            assert_eq!(stem.number_of(other), None, "{other}");
        }
    }
}
