//! Carries bytes between the streams of a process and a conversation that another process holds.

use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;

use crate::frame::Frame;

const AT_ONCE_BYTES: usize = 64 << 10;

/// Carries bytes both ways until the holder has nothing more to send.
///
/// # Errors
/// When the thread for one of the ways cannot be started.
pub fn relay(
    input: impl Read + Send + 'static,
    output: impl Write,
    holder: UnixStream,
) -> io::Result<()> {
    let to_holder = holder.try_clone()?;
    std::thread::Builder::new()
        .name("link-relay".to_owned())
        .spawn(move || {
            carry(input, &to_holder);
            // The holder sees that this connection has ended.
            let _ = to_holder.shutdown(Shutdown::Write);
        })?;
    carry(holder, output);
    Ok(())
}

/// Answers a client that wants to resume a conversation that no process holds.
///
/// # Errors
/// When it cannot be written.
pub fn nobody_waits(mut output: impl Write) -> io::Result<()> {
    output.write_all(&Frame::Bye.encode())?;
    output.flush()
}

/// Until either side ends.
fn carry(mut from: impl Read, mut to: impl Write) {
    let mut buffer = vec![0; AT_ONCE_BYTES];
    loop {
        let count = match from.read(&mut buffer) {
            Ok(0) => return,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => return,
        };
        if to
            .write_all(&buffer[..count])
            .and_then(|()| to.flush())
            .is_err()
        {
            return;
        }
    }
}
