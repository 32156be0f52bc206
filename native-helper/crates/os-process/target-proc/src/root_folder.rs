//! Files below the root folder of a process.
//!
//! The process chooses its paths: a symbolic link there would lead out of that root into the root
//! of this program, or to a descriptor of some process; the file there may be a pipe without a
//! writer, or a device that acts when it is opened.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{FileType, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;

/// A root folder: paths below it lead nowhere else.
#[derive(Debug, Clone)]
pub struct RootFolder {
    folder: Arc<OwnedFd>,
    path: PathBuf,
}

impl RootFolder {
    /// The folder at `path`: `/proc/PID/root`, or `/`.
    ///
    /// # Errors
    /// The error of the kernel.
    pub fn open(path: &Path) -> io::Result<Self> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Self {
            folder: Arc::new(rustix::fs::open(path, flags, Mode::empty())?),
            path: path.to_owned(),
        })
    }

    /// Its path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens a regular file for reading. Symbolic links are followed as the process itself would
    /// follow them: `/etc` and `..` lead to its own root.
    ///
    /// # Errors
    /// `InvalidInput` for anything but a regular file, `Unsupported` when the kernel cannot keep a
    /// path inside a folder (before Linux 5.6), otherwise the error of the kernel.
    pub fn open_regular(&self, inside: &Path) -> io::Result<File> {
        self.find_regular(inside, ResolveFlags::IN_ROOT | ResolveFlags::NO_MAGICLINKS)
    }

    /// Opens a regular file for reading, by a path in which no part is a symbolic link.
    ///
    /// # Errors
    /// As of [`RootFolder::open_regular`], and when a part is a link or leads out of the folder.
    pub fn open_regular_without_links(&self, inside: &Path) -> io::Result<File> {
        self.find_regular(inside, ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS)
    }

    fn find_regular(&self, inside: &Path, resolve: ResolveFlags) -> io::Result<File> {
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        let inside = inside.strip_prefix("/").unwrap_or(inside);
        match rustix::fs::openat2(&*self.folder, inside, flags, Mode::empty(), resolve) {
            Ok(found) => regular(&found),
            Err(Errno::NOSYS) => Err(io::Error::new(
                io::ErrorKind::Unsupported,
                "this kernel has no openat2 (Linux 5.6), without which no path of another process is followed",
            )),
            Err(error) => Err(error.into()),
        }
    }
}

/// Opens only regular files, by a path that this program or the kernel chose.
///
/// # Errors
/// The error of the kernel; `InvalidInput` for anything but a regular file.
pub fn open_regular(path: &Path) -> io::Result<File> {
    regular(&find(path)?)
}

/// Finds a file without opening it.
pub(crate) fn find(path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    Ok(rustix::fs::open(path, flags, Mode::empty())?)
}

/// File systems that the kernel generates while they are read: they contain nothing that a program
/// maps, and to open a file of a process (`/proc/PID/maps`) is to use one's rights on that process.
/// From `linux/magic.h`.
const MADE_UP_BY_KERNEL: [u64; 8] = [
    0x9fa0,      // proc
    0x6265_6572, // sysfs
    0x6462_6720, // debugfs
    0x7472_6163, // tracefs
    0x7363_6673, // securityfs
    0xcafe_4a11, // bpf
    0x6367_7270, // cgroup2
    0x0027_e0eb, // cgroup
];

/// The file that was found, for reading. To find it was not to open it, which for a pipe would wait
/// and for a device may do something.
pub(crate) fn regular(found: &OwnedFd) -> io::Result<File> {
    let refused = |what| Err(io::Error::new(io::ErrorKind::InvalidInput, what));
    let stat = rustix::fs::fstat(found)?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return refused("it is not a regular file");
    }
    let file_system = rustix::fs::fstatfs(found)?.f_type as u64 & u64::from(u32::MAX);
    if MADE_UP_BY_KERNEL.contains(&file_system) {
        return refused("it is on a file system of the kernel's own");
    }
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    OpenOptions::new()
        .read(true)
        .custom_flags(flags.bits().cast_signed())
        .open(format!("/proc/self/fd/{}", found.as_raw_fd()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::os::unix::fs::symlink;

    /// A root folder of this test, beside a secret; removed at its end.
    struct TestFolder(PathBuf);

    impl TestFolder {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("root-{name}-{}", std::process::id()));
            std::fs::create_dir_all(path.join("root/lib")).unwrap();
            std::fs::write(path.join("secret"), "secret").unwrap();
            std::fs::write(path.join("root/lib/own"), "own").unwrap();
            Self(path)
        }

        fn inside(&self, path: &str) -> PathBuf {
            self.0.join("root").join(path)
        }

        fn read(&self, path: &str) -> io::Result<String> {
            let root = RootFolder::open(&self.0.join("root")).unwrap();
            let mut text = String::new();
            root.open_regular(Path::new(path))?
                .read_to_string(&mut text)?;
            Ok(text)
        }
    }

    impl Drop for TestFolder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn links_lead_nowhere_else() {
        let folder = TestFolder::new("links");
        symlink("/lib/own", folder.inside("absolute")).unwrap();
        symlink("lib/own", folder.inside("relative")).unwrap();
        symlink(folder.0.join("secret"), folder.inside("out")).unwrap();
        symlink("../../../../secret", folder.inside("lib/up")).unwrap();
        symlink("..", folder.inside("above")).unwrap();
        for own in ["/lib/own", "lib/own", "absolute", "relative", "../lib/own"] {
            assert_eq!(folder.read(own).unwrap(), "own", "{own}");
        }
        for out in ["out", "lib/up", "above/secret", "../secret"] {
            let error = folder.read(out).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::NotFound, "{out}: {error}");
        }
    }

    #[test]
    fn where_no_links_are_followed_not_even_those_within_are() {
        let folder = TestFolder::new("no-links");
        symlink("lib/own", folder.inside("link")).unwrap();
        symlink("lib", folder.inside("folder")).unwrap();
        let root = RootFolder::open(&folder.0.join("root")).unwrap();
        let open = |path: &str| root.open_regular_without_links(Path::new(path));
        assert!(open("lib/own").is_ok());
        for refused in ["link", "folder/own"] {
            let error = open(refused).unwrap_err();
            assert_eq!(error.raw_os_error(), Some(Errno::LOOP.raw_os_error()));
        }
        let error = open("../secret").unwrap_err();
        assert_eq!(error.raw_os_error(), Some(Errno::XDEV.raw_os_error()));
        assert!(open("lib").is_err());
    }

    #[test]
    fn a_link_to_a_descriptor_is_not_followed() {
        let secret = File::open("/proc/self/exe").unwrap();
        let descriptor = format!("/proc/self/fd/{}", secret.as_raw_fd());
        assert!(File::open(&descriptor).is_ok());
        let machine = RootFolder::open(Path::new("/")).unwrap();
        let error = machine.open_regular(Path::new(&descriptor)).unwrap_err();
        assert_eq!(error.raw_os_error(), Some(Errno::LOOP.raw_os_error()));
    }

    #[test]
    fn a_file_with_facts_of_a_process_is_not_opened() {
        let folder = TestFolder::new("made-up");
        symlink("/proc/1/maps", folder.inside("maps")).unwrap();
        let machine = RootFolder::open(Path::new("/")).unwrap();
        let link = folder.inside("maps");
        for made_up in [
            link.as_path(),
            Path::new("/proc/self/maps"),
            Path::new("/sys/kernel/mm/transparent_hugepage/enabled"),
        ] {
            let refused = [machine.open_regular(made_up), open_regular(made_up)];
            for error in refused.map(Result::unwrap_err) {
                assert_eq!(error.kind(), io::ErrorKind::InvalidInput, "{error}");
            }
        }
    }

    #[test]
    fn only_regular_files_are_opened() {
        let folder = TestFolder::new("kinds");
        let made = std::process::Command::new("mkfifo")
            .arg(folder.inside("pipe"))
            .status();
        assert!(made.unwrap().success());
        let _socket = std::os::unix::net::UnixListener::bind(folder.inside("socket")).unwrap();
        for other in ["pipe", "socket", "lib", ""] {
            let error = folder.read(other).unwrap_err();
            let kind = error.kind();
            let expected = match other {
                "" => io::ErrorKind::NotFound,
                _ => io::ErrorKind::InvalidInput,
            };
            assert_eq!(kind, expected, "{other}: {error}");
        }
        let machine = RootFolder::open(Path::new("/")).unwrap();
        for device in ["/dev/null", "/dev/zero"] {
            let error = machine.open_regular(Path::new(device)).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidInput, "{device}");
            let error = open_regular(Path::new(device)).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidInput, "{device}");
        }
    }
}
