//! The socket over which a client resumes a conversation, in a folder that no other user can enter.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::fd::AsRawFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::frame::Frame;
use crate::link::Link;

/// A folder with more is not tidied.
const MAX_TIDIED: usize = 1000;
const NAME_DIGITS: usize = 32;
/// A client sends hello as soon as it connects.
const GREETING_PATIENCE: Duration = Duration::from_secs(10);

/// The name of a conversation: 32 hexadecimal digits, so that it is no path and cannot be guessed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionName(String);

/// The text is not a valid name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a session's name is {NAME_DIGITS} hexadecimal digits")]
pub struct NoSessionName;

impl FromStr for SessionName {
    type Err = NoSessionName;

    fn from_str(text: &str) -> Result<Self, NoSessionName> {
        let is_digit = |byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if text.len() == NAME_DIGITS && text.bytes().all(is_digit) {
            Ok(Self(text.to_owned()))
        } else {
            Err(NoSessionName)
        }
    }
}

/// An open door: a client that connects to it resumes the conversation.
#[derive(Debug)]
pub struct Door {
    /// The socket.
    path: PathBuf,
}

impl Door {
    /// Opens it in `folder`, which is the caller's alone, for connections of `link`.
    ///
    /// # Errors
    /// When there can be no socket: no client can come back, then.
    pub fn open(folder: &Path, name: &SessionName, link: Link) -> io::Result<Self> {
        tidy(folder);
        let (opened, short) = within(folder, name)?;
        let listener = UnixListener::bind(short)?;
        drop(opened);
        std::thread::Builder::new()
            .name("link-door".to_owned())
            .spawn(move || accept_all(&listener, &link))?;
        Ok(Self {
            path: folder.join(&name.0),
        })
    }

    /// Lets no further client connect.
    pub fn close(self) {
        // It may be gone already.
        let _ = fs::remove_file(self.path);
    }
}

/// A connection to the process that holds that conversation.
///
/// # Errors
/// When no process does.
pub fn come_back(folder: &Path, name: &SessionName) -> io::Result<UnixStream> {
    let (opened, short) = within(folder, name)?;
    let stream = UnixStream::connect(short);
    drop(opened);
    stream
}

fn accept_all(listener: &UnixListener, link: &Link) {
    let last = Arc::new(Mutex::new(None));
    while let Ok((stream, _)) = listener.accept() {
        let (link, last) = (link.clone(), Arc::clone(&last));
        // Where no thread can be started, the client sees that the connection ends.
        let _ = std::thread::Builder::new()
            .name("link-greeting".to_owned())
            .spawn(move || take_in(stream, &link, &last));
    }
}

/// Goes on over this connection once a client has sent hello there: a probe that only checks for a
/// listener, as [`tidy`] does, must not cost the existing connection.
fn take_in(stream: UnixStream, link: &Link, last: &Mutex<Option<UnixStream>>) {
    let connected = greeting(&stream).and_then(|greeting| {
        let input = io::Cursor::new(greeting).chain(stream.try_clone()?);
        link.connect(input, stream.try_clone()?)
    });
    if connected.is_err() {
        return;
    }
    let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
    // The relay of the connection before has nothing more to do.
    if let Some(before) = last.replace(stream) {
        let _ = before.shutdown(std::net::Shutdown::Both);
    }
}

fn greeting(mut stream: &UnixStream) -> io::Result<Vec<u8>> {
    stream.set_read_timeout(Some(GREETING_PATIENCE))?;
    let hello = match Frame::read(&mut stream) {
        Ok(Some(hello @ Frame::Hello { .. })) => hello,
        _ => return Err(io::ErrorKind::InvalidData.into()),
    };
    stream.set_read_timeout(None)?;
    Ok(hello.encode())
}

/// The path of a socket through the opened folder: that of the folder itself may be longer than a
/// socket's may be. The folder has to stay open until it was used.
fn within(folder: &Path, name: &SessionName) -> io::Result<(File, PathBuf)> {
    let opened = File::open(folder)?;
    let short = PathBuf::from(format!("/proc/self/fd/{}", opened.as_raw_fd())).join(&name.0);
    Ok((opened, short))
}

/// Removes sockets without a listener: of helpers that were killed.
fn tidy(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten().take(MAX_TIDIED) {
        let name = entry.file_name();
        let Some(name) = name.to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        let refused = |error: io::Error| error.kind() == io::ErrorKind::ConnectionRefused;
        if is_socket(&entry.path()) && come_back(folder, &name).is_err_and(refused) {
            // Another process may have removed it.
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn is_socket(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt as _;
    fs::symlink_metadata(path).is_ok_and(|file| file.file_type().is_socket())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_digits_and_nothing_else() {
        let good = "0123456789abcdef0123456789abcdef";
        assert!(good.parse::<SessionName>().is_ok());
        for bad in [
            "",
            "..",
            "0123456789ABCDEF0123456789abcdef",
            "../456789abcdef0123456789abcdefff",
            "0123",
        ] {
            assert_eq!(bad.parse::<SessionName>(), Err(NoSessionName), "{bad}");
        }
    }
}
