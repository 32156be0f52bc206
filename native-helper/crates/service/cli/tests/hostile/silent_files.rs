//! A file system of one file that answers at first and then stops answering: a program that speaks
//! to the kernel over `/dev/fuse` may do so at any time.

use std::ffi::CString;
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::mount::{MountFlags, UnmountFlags, mount, unmount};

const LOOKUP: u32 = 1;
const FORGET: u32 = 2;
const GETATTR: u32 = 3;
const OPEN: u32 = 14;
const READ: u32 = 15;
const RELEASE: u32 = 18;
const INIT: u32 = 26;
const NO_SUCH_CALL: i32 = -38;
const FILE_BYTES: u64 = 4096;
const FILE_NODE: u64 = 2;
/// Request headers: length, call, unique, node, and the caller.
const IN_HEADER_BYTES: usize = 40;
const REQUEST_BYTES: usize = 1 << 17;

/// The mounted file system; unmounted at the end of the test, which lets everyone who waits go on.
pub struct SilentFiles {
    folder: PathBuf,
    silent: Arc<AtomicBool>,
    asked_in_vain: Arc<AtomicBool>,
}

impl SilentFiles {
    /// `None` where nothing can be mounted.
    pub fn mount(folder: &Path) -> Option<Self> {
        std::fs::create_dir_all(folder).unwrap();
        let device = OpenOptions::new()
            .read(true)
            .write(true)
            .open("/dev/fuse")
            .ok()?;
        let options = format!(
            "fd={},rootmode=40000,user_id=0,group_id=0,allow_other",
            device.as_raw_fd()
        );
        let options = CString::new(options).unwrap();
        let flags = MountFlags::NOSUID | MountFlags::NODEV;
        mount("silent", folder, "fuse.silent", flags, options.as_c_str()).ok()?;
        let files = Self {
            folder: folder.to_owned(),
            silent: Arc::default(),
            asked_in_vain: Arc::default(),
        };
        let (silent, asked) = (Arc::clone(&files.silent), Arc::clone(&files.asked_in_vain));
        std::thread::spawn(move || serve(device, &silent, &asked));
        Some(files)
    }

    pub fn file(&self) -> PathBuf {
        self.folder.join("library.so")
    }

    /// From now on no process that opens the file gets an answer.
    pub fn fall_silent(&self) {
        self.silent.store(true, Ordering::SeqCst);
    }

    pub fn was_asked_in_vain(&self) -> bool {
        self.asked_in_vain.load(Ordering::SeqCst)
    }
}

impl Drop for SilentFiles {
    fn drop(&mut self) {
        let _ = unmount(&self.folder, UnmountFlags::DETACH | UnmountFlags::FORCE);
    }
}

fn serve(mut device: File, silent: &AtomicBool, asked_in_vain: &AtomicBool) {
    let mut request = vec![0; REQUEST_BYTES];
    // Ends when the file system is unmounted.
    while let Ok(length) = device.read(&mut request) {
        let request = &request[..length];
        let half = |at: usize| u32::from_le_bytes(request[at..at + 4].try_into().unwrap());
        let word = |at: usize| u64::from_le_bytes(request[at..at + 8].try_into().unwrap());
        let (call, unique, node) = (half(4), word(8), word(16));
        if silent.load(Ordering::SeqCst) && matches!(call, OPEN | READ) {
            asked_in_vain.store(true, Ordering::SeqCst);
            continue;
        }
        let answer = match call {
            FORGET => continue,
            INIT => Ok(init(request)),
            LOOKUP => Ok(entry()),
            GETATTR => Ok([vec![0; 16], attributes(node)].concat()),
            OPEN => Ok(vec![0; 16]),
            RELEASE => Ok(Vec::new()),
            READ => Ok(vec![0x90; FILE_BYTES as usize]),
            _ => Err(NO_SUCH_CALL),
        };
        let (error, body) = match answer {
            Ok(body) => (0, body),
            Err(error) => (error, Vec::new()),
        };
        let mut out = Vec::new();
        out.extend((16 + body.len() as u32).to_le_bytes());
        out.extend(i32::to_le_bytes(error));
        out.extend(unique.to_le_bytes());
        out.extend(body);
        // The caller may be gone.
        let _ = device.write_all(&out);
    }
}

/// The requested version, and no more than plain reads.
fn init(request: &[u8]) -> Vec<u8> {
    let version = &request[IN_HEADER_BYTES..IN_HEADER_BYTES + 8];
    let mut body = version.to_vec();
    body.extend((64u32 << 10).to_le_bytes());
    body.resize(64, 0);
    body[20..24].copy_from_slice(&4096u32.to_le_bytes());
    body
}

/// The file, under whatever name.
fn entry() -> Vec<u8> {
    let mut body = Vec::new();
    body.extend(FILE_NODE.to_le_bytes());
    body.resize(40, 0);
    // Known for an hour.
    for at in [16, 24] {
        body[at..at + 8].copy_from_slice(&3600u64.to_le_bytes());
    }
    body.extend(attributes(FILE_NODE));
    body
}

/// `struct fuse_attr`.
fn attributes(node: u64) -> Vec<u8> {
    let (mode, bytes) = match node {
        FILE_NODE => (0o100_755u32, FILE_BYTES),
        _ => (0o040_755, 0),
    };
    let mut body = vec![0; 88];
    body[..8].copy_from_slice(&node.to_le_bytes());
    body[8..16].copy_from_slice(&bytes.to_le_bytes());
    body[60..64].copy_from_slice(&mode.to_le_bytes());
    body[64..68].copy_from_slice(&1u32.to_le_bytes());
    body[80..84].copy_from_slice(&4096u32.to_le_bytes());
    body
}
