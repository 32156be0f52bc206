//! The file behind a mapping, opened so that it is the very file the target runs.

use std::fmt;
use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use crate::maps::Mapping;
use crate::proc_fs::ProcFs;

/// Which way led to the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenedBy {
    /// `/proc/PID/map_files/START-END`: always the mapped file, deleted or not; needs privilege.
    MapFiles,
    /// The path below `/proc/PID/root`: right in other mount namespaces, wrong when the file was
    /// replaced (which is checked by inode).
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

/// An open file and how it was found.
#[derive(Debug)]
pub struct ObjectFile {
    /// Open for reading.
    pub file: File,
    /// Which way led to it.
    pub opened_by: OpenedBy,
}

/// Why the file behind a mapping could not be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ObjectFileError {
    /// Anonymous memory or a kernel object such as `[vdso]`: there is no file.
    #[error("no file is mapped there")]
    NoFile,
    /// Every way failed; what the kernel said to each, in the order tried.
    #[error("{path} cannot be opened ({})", describe(attempts))]
    Unreachable {
        /// As the mapping names it.
        path: String,
        /// What happened to each way.
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
    /// Opens the file behind a mapping of a process, for reading.
    ///
    /// # Errors
    /// [`ObjectFileError::NoFile`] for anonymous memory; otherwise what each way said.
    pub fn open_object(&self, pid: u32, mapping: &Mapping) -> Result<ObjectFile, ObjectFileError> {
        if !mapping.is_file() {
            return Err(ObjectFileError::NoFile);
        }
        let mut attempts = Vec::new();
        for way in [
            OpenedBy::MapFiles,
            OpenedBy::ProcessRoot,
            OpenedBy::Executable,
        ] {
            match self.open_by(way, pid, mapping) {
                Ok(file) => {
                    return Ok(ObjectFile {
                        file,
                        opened_by: way,
                    });
                }
                Err(error) => attempts.push((way, error)),
            }
        }
        Err(ObjectFileError::Unreachable {
            path: mapping.path.clone(),
            attempts,
        })
    }

    fn open_by(&self, way: OpenedBy, pid: u32, mapping: &Mapping) -> io::Result<File> {
        let path = match way {
            OpenedBy::MapFiles => self.path(
                pid,
                &format!("map_files/{:x}-{:x}", mapping.start, mapping.end),
            ),
            OpenedBy::ProcessRoot => self.below_root(pid, mapping)?,
            OpenedBy::Executable => self.path(pid, "exe"),
        };
        let file = open_regular(path)?;
        // The kernel itself resolves `map_files`; the other two may lead to another file: one
        // that has since taken the name, or a program that is not this library.
        if way != OpenedBy::MapFiles && file.metadata()?.ino() != mapping.inode {
            return Err(io::Error::new(
                io::ErrorKind::NotFound,
                "it is another file by now",
            ));
        }
        Ok(file)
    }

    fn below_root(&self, pid: u32, mapping: &Mapping) -> io::Result<PathBuf> {
        if mapping.is_deleted() {
            return Err(io::Error::new(
                io::ErrorKind::NotFound,
                "the file was deleted",
            ));
        }
        Ok(self
            .path(pid, "root")
            .join(mapping.path.trim_start_matches('/')))
    }
}

/// Opens only regular files: a path the target chose may name a FIFO, and opening that would hang.
fn open_regular(path: PathBuf) -> io::Result<File> {
    if !std::fs::metadata(&path)?.is_file() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "it is not a regular file",
        ));
    }
    File::open(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::maps::mapping_at;
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
            fs.open_by(way, pid, &mapping)
                .unwrap()
                .read_exact(&mut magic)
                .unwrap();
            assert_eq!(&magic, b"\x7fELF", "{way}");
        }
        let opened = fs.open_object(pid, &mapping).unwrap();
        assert_eq!(opened.file.metadata().unwrap().ino(), mapping.inode);
    }

    #[test]
    fn a_file_that_took_the_name_is_refused() {
        let mut mapping = own_mapping();
        mapping.inode += 1;
        let error = ProcFs::live()
            .open_by(OpenedBy::ProcessRoot, std::process::id(), &mapping)
            .unwrap_err();
        assert_eq!(error.to_string(), "it is another file by now");
    }

    #[test]
    fn failure_names_every_way() {
        let mut mapping = own_mapping();
        mapping.inode = u64::MAX;
        mapping.end += 0x1000;
        mapping.path.push_str(" (deleted)");
        let error = ProcFs::live()
            .open_object(std::process::id(), &mapping)
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
        let result = ProcFs::live().open_object(std::process::id(), &mapping);
        assert!(matches!(result, Err(ObjectFileError::NoFile)));
    }

    #[test]
    fn a_fifo_is_not_opened() {
        let error = open_regular(PathBuf::from("/dev/null")).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
    }
}
