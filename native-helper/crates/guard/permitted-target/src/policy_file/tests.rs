use super::*;
use std::os::unix::fs::{PermissionsExt, symlink};

/// A folder below `/var/lib`-like ground that root alone writes to; removed at the end. Tests run as the user who
/// builds, so that user stands for root, and `/tmp` for a folder that others may write to.
struct Etc(PathBuf);

impl Etc {
    fn new(name: &str) -> Self {
        let path = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR").unwrap())
            .join(format!("target-policy-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        chmod(&path, 0o755);
        Self(path.canonicalize().unwrap())
    }

    fn file(&self, text: &str) -> PathBuf {
        let file = self.0.join("policy.toml");
        std::fs::write(&file, text).unwrap();
        chmod(&file, 0o644);
        file
    }
}

impl Drop for Etc {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn chmod(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

fn read(path: &Path) -> Result<Policy, PolicyFileError> {
    read_as_owned_by(path, rustix::process::getuid().as_raw())
}

fn refused(path: &Path) -> String {
    let error = read(path).unwrap_err();
    format!("{error}; {}", error.command())
}

/// Where some folder above the sources belongs to others, as when a user builds, nothing there counts.
fn is_ground_ours(etc: &Etc) -> bool {
    let uid = rustix::process::getuid().as_raw();
    etc.0.ancestors().all(|folder| {
        use std::os::unix::fs::MetadataExt;
        let stat = folder.metadata().unwrap();
        stat.uid() == uid && stat.mode() & 0o022 == 0
    })
}

#[test]
fn what_others_could_have_written_is_refused_with_the_command_that_mends_it() {
    let etc = Etc::new("written");
    if !is_ground_ours(&etc) {
        return;
    }
    let file = etc.file("[users]\n5 = [6]\n");
    assert_ne!(read(&file).unwrap(), Policy::default());
    chmod(&file, 0o664);
    assert!(refused(&file).contains("may be written by others than root; sudo chmod go-w "));
    chmod(&file, 0o646);
    assert!(refused(&file).contains("written by others"));
    chmod(&file, 0o644);
    chmod(&etc.0, 0o777);
    assert!(refused(&file).contains("written by others"));
    chmod(&etc.0, 0o755);
    let other = read_as_owned_by(&file, 54_321).unwrap_err();
    assert!(other.to_string().contains("not owned by root"), "{other}");
}

#[test]
fn links_pipes_and_endless_files_are_refused_and_none_allows_nothing() {
    let etc = Etc::new("links");
    if !is_ground_ours(&etc) {
        return;
    }
    assert_eq!(read(&etc.0.join("absent")).unwrap(), Policy::default());
    assert_eq!(read(&etc.0.join("no/policy")).unwrap(), Policy::default());
    let file = etc.file("[users]\n5 = [6]\n");
    symlink(&file, etc.0.join("link")).unwrap();
    symlink(&etc.0, etc.0.join("folder")).unwrap();
    assert!(refused(&etc.0.join("link")).contains("symbolic link"));
    assert!(refused(&etc.0.join("folder/policy.toml")).contains("symbolic link"));
    let made = std::process::Command::new("mkfifo")
        .arg(etc.0.join("pipe"))
        .status();
    assert!(made.unwrap().success());
    chmod(&etc.0.join("pipe"), 0o644);
    assert!(refused(&etc.0.join("pipe")).contains("is no file"));
    let long = etc.file(&"#".repeat(MAX_POLICY_BYTES as usize + 1));
    assert!(refused(&long).contains("longer than"));
    let wrong = etc.file("[users]\nalice\n");
    assert!(refused(&wrong).contains("line 2"));
}

#[test]
fn a_folder_that_everybody_may_write_to_is_no_place_for_a_policy() {
    let folder = std::env::temp_dir().join(format!("policy-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("policy.toml"), "").unwrap();
    let error = read_policy(&folder.join("policy.toml"));
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(error.is_err());
}
