//! Reading two pipes, whichever has something.

use std::io::{self, PipeReader, Read};
use std::os::fd::AsFd;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// How often the clock and the user's cancellation are checked.
const LOOK: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 50_000_000,
};

/// Whether there is something to read of each, within a moment.
pub(crate) fn wait_for(
    output: Option<&impl AsFd>,
    messages: Option<&impl AsFd>,
) -> io::Result<(bool, bool)> {
    let mut pipes: Vec<PollFd<'_>> = Vec::with_capacity(2);
    pipes.extend(output.map(|pipe| PollFd::new(pipe, PollFlags::IN)));
    pipes.extend(messages.map(|pipe| PollFd::new(pipe, PollFlags::IN)));
    match poll(&mut pipes, Some(&LOOK)) {
        Ok(_) | Err(rustix::io::Errno::INTR) => {}
        Err(error) => return Err(error.into()),
    }
    let mut ready = pipes.iter().map(|pipe| !pipe.revents().is_empty());
    let output_ready = output.is_some() && ready.next() == Some(true);
    Ok((
        output_ready,
        messages.is_some() && ready.next() == Some(true),
    ))
}

/// The bytes that have come; empty at the end, after which the pipe is closed.
pub(crate) fn read<'a>(pipe: &mut Option<PipeReader>, chunk: &'a mut [u8]) -> io::Result<&'a [u8]> {
    let Some(open) = pipe else { return Ok(&[]) };
    let length = match open.read(chunk) {
        Ok(0) => {
            *pipe = None;
            0
        }
        Ok(length) => length,
        Err(error) if error.kind() == io::ErrorKind::Interrupted => 0,
        Err(error) => return Err(error),
    };
    Ok(chunk.get(..length).unwrap_or_default())
}
