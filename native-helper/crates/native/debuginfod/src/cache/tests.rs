use super::*;
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, chown, symlink};

/// A cache of this test, removed at its end.
struct Room(PathBuf);

impl Room {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("dbgcache-{name}-{}", std::process::id()));
        Self(path)
    }

    fn cache(&self) -> Cache {
        Cache::open_at(self.0.join("a/cache")).unwrap()
    }

    fn names(&self, below: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.join("a/cache").join(below));
        let entries = entries.into_iter().flatten();
        entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect()
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn build_id(bytes: usize) -> BuildId {
    let length = u32::try_from(bytes).unwrap().to_le_bytes();
    let value = vec![0xab; bytes];
    let note = [
        &[4, 0, 0, 0],
        &length,
        &[3, 0, 0, 0],
        b"GNU\0".as_slice(),
        &value,
    ]
    .concat();
    BuildId::from_notes(&note).unwrap()
}

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn a_file_has_its_name_only_when_it_is_kept() {
    let (room, id) = (Room::new("keep"), build_id(20));
    let cache = room.cache();
    assert_eq!(mode(&cache.path), 0o700);
    let mut new = cache.new_file(&id).unwrap();
    new.file.write_all(b"proven").unwrap();
    assert_eq!(room.names(&id.to_string()).len(), 1);
    assert!(!new.path.exists());
    let path = new.keep().unwrap();
    assert_eq!(path, file_in(&cache.path, &id));
    assert_eq!(std::fs::read(&path).unwrap(), b"proven");
    assert_eq!(mode(&path), 0o400);

    // A file that is given up leaves an existing one alone, and else nothing at all.
    drop(cache.new_file(&id).unwrap());
    assert_eq!(room.names(&id.to_string()), [FILE]);
    let other = build_id(16);
    drop(cache.new_file(&other).unwrap());
    assert_eq!(room.names(""), [id.to_string()]);
}

#[test]
fn a_miss_counts_for_a_while_and_makes_room_for_a_file() {
    let (room, id) = (Room::new("miss"), build_id(20));
    let cache = room.cache();
    assert_eq!(cache.missed(&id), None);
    cache.remember_miss(&id).unwrap();
    assert!(cache.missed(&id).unwrap() < MISS_COUNTS);
    let path = file_in(&cache.path, &id);
    assert_eq!(std::fs::metadata(&path).unwrap().len(), 0);

    let old = SystemTime::now() - MISS_COUNTS - Duration::from_secs(1);
    let file = cache.new_file(&id).unwrap();
    file.file.set_modified(old).unwrap();
    file.keep().unwrap();
    assert_eq!(cache.missed(&id), None, "too old to count");
    cache.remember_miss(&id).unwrap();
    assert!(cache.missed(&id).is_some());

    let mut new = cache.new_file(&id).unwrap();
    new.file.write_all(b"proven").unwrap();
    new.keep().unwrap();
    assert_eq!(cache.missed(&id), None, "current group");
}

#[test]
fn links_are_not_followed_and_folders_of_others_not_written_to() {
    let (room, id) = (Room::new("planted"), build_id(20));
    let cache = room.cache();
    let elsewhere = room.0.join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    let planted = cache.path.join(id.to_string());
    symlink(&elsewhere, &planted).unwrap();
    assert!(cache.new_file(&id).is_err() && cache.remember_miss(&id).is_err());
    assert_eq!(std::fs::read_dir(&elsewhere).unwrap().count(), 0);
    std::fs::remove_file(&planted).unwrap();

    std::fs::create_dir(&planted).unwrap();
    // Only root may give something away; without it the half above has to do.
    if chown(&planted, Some(4711), None).is_err() {
        return;
    }
    assert!(cache.new_file(&id).is_err());
    chown(&cache.path, Some(4711), None).unwrap();
    let error = Cache::open_at(cache.path.clone()).unwrap_err();
    assert!(matches!(error, CacheError::NotOurs { .. }), "{error}");
}

#[test]
fn only_build_ids_of_sensible_length_are_requested() {
    for (bytes, is_one) in [(0, false), (7, false), (8, true), (20, true), (64, true)] {
        assert_eq!(is_askable(&build_id(bytes)), is_one, "{bytes}");
    }
}
