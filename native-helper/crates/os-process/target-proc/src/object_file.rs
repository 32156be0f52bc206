//! The file behind a mapping, opened so that it is the very file the target runs.

use std::fmt;
use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::maps::Mapping;
use crate::proc_fs::ProcFs;
use crate::proc_rights::ProcRights;
use crate::root_folder::{RootFolder, find, regular};
use crate::wait_limit::WaitLimit;

/// Which way led to the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum OpenedBy {
    /// `/proc/PID/map_files/START-END`: always the mapped file, deleted or not; needs privilege.
    MapFiles,
    /// The path below `/proc/PID/root`: right in other mount namespaces, wrong when the file was
    /// replaced (which is checked).
    ProcessRoot,
    /// `/proc/PID/exe`: the main program only, deleted or not.
    Executable,
}

impl fmt::Display for OpenedBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::MapFiles => "map_files",
            Self::ProcessRoot => "root",
            Self::Executable => "exe",
        })
    }
}

/// How it is known that a file is the mapped one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum KnownBy {
    /// The kernel itself led to it.
    Kernel,
    /// Device and inode are those of the mapping.
    Inode,
    /// Device or inode differ, as they do on layered file systems, and yet the contents are the
    /// mapped ones, according to the caller's check.
    Contents,
}

impl fmt::Display for KnownBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Kernel => "kernel",
            Self::Inode => "inode",
            Self::Contents => "contents",
        })
    }
}

/// An open file and how it was found.
#[derive(Debug)]
pub struct ObjectFile {
    /// Open for reading.
    pub file: File,
    /// Which way led to it.
    pub opened_by: OpenedBy,
    /// Why it is the right one.
    pub known_by: KnownBy,
}

/// Why the file behind a mapping could not be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ObjectFileError {
    /// Anonymous memory or a kernel object such as `[vdso]`: there is no file.
    #[error("no file is mapped there")]
    NoFile,
    /// Every way failed; the kernel's error for each, in the order tried.
    #[error("{path} cannot be opened ({})", describe(attempts))]
    Unreachable {
        /// As the mapping names it.
        path: String,
        /// The ways, each with its error.
        attempts: Vec<(OpenedBy, io::Error)>,
    },
}

impl ObjectFileError {
    /// Whether more privilege would help.
    #[must_use]
    pub fn is_permission(&self) -> bool {
        match self {
            Self::NoFile => false,
            Self::Unreachable { attempts, .. } => attempts
                .iter()
                .any(|(_, error)| error.kind() == io::ErrorKind::PermissionDenied),
        }
    }
}

fn describe(attempts: &[(OpenedBy, io::Error)]) -> String {
    let each: Vec<String> = attempts
        .iter()
        .map(|(way, error)| format!("by {way}: {error}"))
        .collect();
    each.join("; ")
}

impl ProcFs {
    /// Opens the file behind a mapping of a process, for reading. Links of the process's folder are
    /// followed with `rights`, and the file itself is opened without them. `is_mapped` is called for a
    /// file whose device or inode is not the mapping's: whether its contents are the mapped ones.
    ///
    /// # Errors
    /// [`ObjectFileError::NoFile`] for anonymous memory; otherwise the error of each way.
    /// `TimedOut` among those when the file did not answer in the time that `patience` has left.
    pub fn open_object(
        &self,
        pid: u32,
        mapping: &Mapping,
        (patience, rights): (&WaitLimit, &impl ProcRights),
        is_mapped: impl Fn(&File) -> bool,
    ) -> Result<ObjectFile, ObjectFileError> {
        if !mapping.is_file() {
            return Err(ObjectFileError::NoFile);
        }
        let mut attempts = Vec::new();
        for way in [
            OpenedBy::MapFiles,
            OpenedBy::ProcessRoot,
            OpenedBy::Executable,
        ] {
            match self.open_by(way, pid, mapping, (patience, rights), &is_mapped) {
                Ok(found) => return Ok(found),
                Err(error) => attempts.push((way, error)),
            }
        }
        Err(ObjectFileError::Unreachable {
            path: mapping.path.clone(),
            attempts,
        })
    }

    fn open_by(
        &self,
        way: OpenedBy,
        pid: u32,
        mapping: &Mapping,
        (patience, rights): (&WaitLimit, &impl ProcRights),
        is_mapped: impl Fn(&File) -> bool,
    ) -> io::Result<ObjectFile> {
        let rights = rights.clone();
        let opened = match way {
            OpenedBy::MapFiles => {
                let name = format!("map_files/{:x}-{:x}", mapping.start, mapping.end);
                let path = self.path(pid, &name);
                patience.wait(move || followed(&rights, &path))
            }
            OpenedBy::ProcessRoot => {
                let (root, inside) = rights.within(|| self.below_root(pid, mapping))?;
                patience.wait(move || {
                    let root = rights.within(|| RootFolder::open(&root))?;
                    with_metadata(root.open_regular(&inside)?)
                })
            }
            OpenedBy::Executable => {
                let path = self.path(pid, "exe");
                patience.wait(move || followed(&rights, &path))
            }
        };
        let (file, metadata) = opened??;
        // The kernel itself resolves `map_files`; the other two may lead to another file: one
        // that has since taken the name, or a program that is not this library.
        let known_by = if way == OpenedBy::MapFiles {
            KnownBy::Kernel
        } else if (device_numbers(metadata.dev()), metadata.ino())
            == (mapping.device, mapping.inode)
        {
            KnownBy::Inode
        } else if is_mapped(&file) {
            KnownBy::Contents
        } else {
            return Err(io::Error::new(
                io::ErrorKind::NotFound,
                "it is another file by now",
            ));
        };
        Ok(ObjectFile {
            file,
            opened_by: way,
            known_by,
        })
    }

    /// The root folder of the process, and the path of a mapping in it.
    fn below_root(&self, pid: u32, mapping: &Mapping) -> io::Result<(PathBuf, PathBuf)> {
        if mapping.is_deleted() {
            return Err(io::Error::new(
                io::ErrorKind::NotFound,
                "the file was deleted",
            ));
        }
        let inside = self.path_inside_root(pid, Path::new(&mapping.path));
        Ok((self.root_folder(pid), inside))
    }

    /// The root folder of a process, as a path that leads into its mount namespace.
    #[must_use]
    pub fn root_folder(&self, pid: u32) -> PathBuf {
        self.path(pid, "root")
    }

    /// A path of a mapping as the process itself would name it, without the first slash. The
    /// kernel's paths of a process in a `chroot` begin at the root of its mount namespace.
    #[must_use]
    pub fn path_inside_root(&self, pid: u32, path: &Path) -> PathBuf {
        let root = self.link(pid, "root").unwrap_or_default();
        let inside = path.strip_prefix(root).unwrap_or(path);
        inside.strip_prefix("/").unwrap_or(inside).to_owned()
    }
}

/// The file that a link of the process's folder leads to, opened without the rights needed to follow
/// the link.
fn followed(rights: &impl ProcRights, link: &Path) -> io::Result<(File, Metadata)> {
    let found = rights.within(|| find(link))?;
    with_metadata(regular(&found)?)
}

fn with_metadata(file: File) -> io::Result<(File, Metadata)> {
    let metadata = file.metadata()?;
    Ok((file, metadata))
}

/// Major and minor number of a device, as `maps` has them.
fn device_numbers(device: u64) -> (u32, u32) {
    let major = (device >> 8 & 0xfff) | (device >> 32 & !0xfff);
    let minor = (device & 0xff) | (device >> 12 & !0xff);
    (major as u32, minor as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::maps::mapping_at;
    use crate::proc_rights::NoMoreRights;
    use std::io::Read;

    fn own_mapping() -> Mapping {
        let maps = ProcFs::live().maps(std::process::id()).unwrap();
        mapping_at(&maps, own_mapping as fn() -> Mapping as usize as u64)
            .unwrap()
            .clone()
    }

    #[test]
    fn opens_the_running_program_in_every_way_it_may() {
        let (fs, pid, mapping) = (ProcFs::live(), std::process::id(), own_mapping());
        for way in [OpenedBy::ProcessRoot, OpenedBy::Executable] {
            let mut magic = [0; 4];
            let mut found = fs
                .open_by(
                    way,
                    pid,
                    &mapping,
                    (&WaitLimit::default(), &NoMoreRights),
                    |_| false,
                )
                .unwrap();
            found.file.read_exact(&mut magic).unwrap();
            assert_eq!(&magic, b"\x7fELF", "{way}");
            assert_eq!(found.known_by, KnownBy::Inode);
        }
        let opened = fs
            .open_object(
                pid,
                &mapping,
                (&WaitLimit::default(), &NoMoreRights),
                |_| false,
            )
            .unwrap();
        assert_eq!(opened.file.metadata().unwrap().ino(), mapping.inode);
    }

    #[test]
    fn a_file_that_took_the_name_is_refused_unless_its_contents_are_what_is_mapped() {
        let mut by_inode = own_mapping();
        by_inode.inode += 1;
        let mut by_device = own_mapping();
        by_device.device.1 += 1;
        for mapping in [by_inode, by_device] {
            let open = |is_mapped: bool| {
                let (fs, pid) = (ProcFs::live(), std::process::id());
                fs.open_by(
                    OpenedBy::ProcessRoot,
                    pid,
                    &mapping,
                    (&WaitLimit::default(), &NoMoreRights),
                    |_| is_mapped,
                )
            };
            assert_eq!(
                open(false).unwrap_err().to_string(),
                "it is another file by now"
            );
            assert_eq!(open(true).unwrap().known_by, KnownBy::Contents);
        }
    }

    #[test]
    fn device_numbers_are_those_of_the_kernel() {
        assert_eq!(device_numbers(0xfe00), (254, 0));
        assert_eq!(device_numbers(0x0001_2000_5433_4521), (0x1_2345, 0x5_4321));
    }

    #[test]
    fn failure_names_every_way() {
        let mut mapping = own_mapping();
        mapping.inode = u64::MAX;
        mapping.end += 0x1000;
        mapping.path.push_str(" (deleted)");
        let error = ProcFs::live()
            .open_object(
                std::process::id(),
                &mapping,
                (&WaitLimit::default(), &NoMoreRights),
                |_| false,
            )
            .unwrap_err();
        let text = error.to_string();
        assert!(
            ["map_files", "root", "exe"]
                .iter()
                .all(|way| text.contains(way)),
            "{text}"
        );
        assert!(text.contains("the file was deleted"), "{text}");
    }

    #[test]
    fn anonymous_memory_has_no_file() {
        let mut mapping = own_mapping();
        (mapping.inode, mapping.path) = (0, "[heap]".to_owned());
        let result = ProcFs::live().open_object(
            std::process::id(),
            &mapping,
            (&WaitLimit::default(), &NoMoreRights),
            |_| false,
        );
        assert!(matches!(result, Err(ObjectFileError::NoFile)));
    }
}
