//! Runs a program that may never end and may print anything: its output is counted and timed, and it is ended in every
//! case.

use std::io::{self, PipeReader};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};

use crate::clock::{Clock, RunLimits};
use crate::error::RunError;
use crate::messages::Messages;
use crate::pipes::{read, wait_for};
use crate::user::renounce_rights_of_children;

const CHUNK_BYTES: usize = 64 << 10;
/// How long one wait takes for the end of a child that has closed its output.
const NEARLY_ENDED: Duration = Duration::from_millis(2);

/// The output of a program.
#[derive(Debug)]
pub struct ProgramOutput {
    /// How it ended.
    pub status: ExitStatus,
    /// Its output.
    pub output: Vec<u8>,
    /// Its messages; of long ones the start and the end.
    pub messages: String,
}

/// The end of a program whose output was passed on during its run.
#[derive(Debug)]
pub struct Ended {
    /// How it ended.
    pub status: ExitStatus,
    /// Its messages; of long ones the start and the end.
    pub messages: String,
}

/// Which processes get signals together, those of a terminal's Ctrl-C for instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// One of its own: its children are ended with it, and Ctrl-C is ours to act on.
    OfItsOwn,
    /// Ours: Ctrl-C, which ends us, ends it, too. Its children are not ended with it.
    Ours,
}

/// Runs a command to its end, or ends it, with `input` as its stdin. Its output is handed to `take` as it comes, which
/// may refuse it; `cancelled` is called a few times a second and returns whether the user cancelled. The command has
/// the rights that the calling thread leaves to its children: see [`run`].
///
/// # Errors
/// See [`RunError`], and the errors of `take`. Nothing of its process group is left then.
pub fn listen<E: From<RunError>>(
    command: &mut Command,
    input: &[u8],
    group: Group,
    patience: RunLimits,
    cancelled: &dyn Fn() -> bool,
    take: &mut dyn FnMut(&[u8]) -> Result<(), E>,
) -> Result<Ended, E> {
    let (mut running, output, messages) = Running::start(command, input, group)?;
    let mut clock = Clock::new(patience, cancelled);
    let (mut output, mut messages) = (Some(output), Some(messages));
    let mut complained = Messages::default();
    let mut chunk = vec![0; CHUNK_BYTES];
    let mut taken = 0_u64;
    while output.is_some() || messages.is_some() {
        clock.check()?;
        let (has_output, has_messages) =
            wait_for(output.as_ref(), messages.as_ref()).map_err(RunError::from)?;
        if has_output {
            let bytes = read(&mut output, &mut chunk).map_err(RunError::from)?;
            taken = taken.saturating_add(bytes.len() as u64);
            if taken > patience.bytes {
                let bytes = patience.bytes;
                return Err(RunError::TooMuch { bytes }.into());
            }
            take(bytes)?;
            clock.received();
        }
        if has_messages {
            complained.add(read(&mut messages, &mut chunk).map_err(RunError::from)?);
        }
    }
    let status = running.wait(&clock)?;
    Ok(Ended {
        status,
        messages: complained.text(),
    })
}

/// Runs a command to its end, or ends it and all that it started, on a thread that has given up what a
/// child could have beyond its user.
///
/// # Errors
/// See [`RunError`].
pub fn run(
    command: &mut Command,
    input: &[u8],
    group: Group,
    patience: RunLimits,
    cancelled: &(dyn Fn() -> bool + Sync),
) -> Result<ProgramOutput, RunError> {
    let mut output = Vec::new();
    let mut take = |part: &[u8]| {
        output.extend_from_slice(part);
        Ok::<(), RunError>(())
    };
    let ended =
        without_our_rights(|| listen(command, input, group, patience, cancelled, &mut take))??;
    Ok(ProgramOutput {
        status: ended.status,
        output,
        messages: ended.messages,
    })
}

/// Runs `work` on a thread of its own that has given up the rights its children could have beyond
/// their user: a right that a thread gives up is gone for good, and we may yet need it.
///
/// # Errors
/// When there is no such thread; nothing was done then.
pub fn without_our_rights<T: Send>(work: impl FnOnce() -> T + Send) -> io::Result<T> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("unprivileged".to_owned());
        let working = thread.spawn_scoped(scope, || {
            renounce_rights_of_children()?;
            Ok(work())
        })?;
        let died = || io::Error::other("the thread that did it died");
        working.join().unwrap_or_else(|_| Err(died()))
    })
}

/// What a program reads: a file without a name. A pipe could be full, and a program that does not
/// read a file blocks no writer.
fn input_file(input: &[u8]) -> io::Result<Stdio> {
    use std::io::{Seek, Write};
    if input.is_empty() {
        return Ok(Stdio::null());
    }
    let memory = rustix::fs::memfd_create("input", rustix::fs::MemfdFlags::CLOEXEC)?;
    let mut file = std::fs::File::from(memory);
    file.write_all(input)?;
    file.rewind()?;
    Ok(file.into())
}

/// A child that is ended and waited for, whatever happens.
struct Running {
    child: Child,
    group: Group,
}

impl Running {
    /// Starts it, and returns the pipes of its output and of its messages.
    fn start(
        command: &mut Command,
        input: &[u8],
        group: Group,
    ) -> Result<(Self, PipeReader, PipeReader), RunError> {
        let (output, its_output) = io::pipe()?;
        let (messages, its_messages) = io::pipe()?;
        command
            .stdin(input_file(input)?)
            .stdout(its_output)
            .stderr(its_messages);
        if group == Group::OfItsOwn {
            command.process_group(0);
        }
        let child = command.spawn();
        // Our copies of its ends, without which the pipes never end.
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let child = child?;
        Ok((Self { child, group }, output, messages))
    }

    /// Waits for the end of a child that has closed its output.
    fn wait(&mut self, clock: &Clock<'_>) -> Result<ExitStatus, RunError> {
        loop {
            if let Some(status) = self.child.try_wait()? {
                return Ok(status);
            }
            clock.check()?;
            std::thread::sleep(NEARLY_ENDED);
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Not after it was waited for: the number may be another's by then.
        if let Ok(None) = self.child.try_wait() {
            if self.group == Group::OfItsOwn {
                let group = Pid::from_raw(self.child.id().cast_signed());
                // Fails when all of it has ended by itself.
                let _ = group.map(|group| kill_process_group(group, Signal::KILL));
            }
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

#[cfg(test)]
mod tests;
