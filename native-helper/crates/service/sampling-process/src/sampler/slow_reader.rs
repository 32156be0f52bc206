//! An output whose reader may be stopped: the work that must not stop with it goes on.

use std::io::{self, Write};
use std::os::fd::AsFd;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// A pipe that can be written to has room for so many bytes, at least: writing them never waits.
const ROOM_BYTES: usize = 4096;

/// A pipe that is written to only as far as it has room. While it has none, `work` is called every `interval`.
#[derive(Debug)]
pub struct SlowReader<'a, W, M> {
    pub out: &'a mut W,
    pub interval: Duration,
    pub work: M,
}

impl<W: Write + AsFd, M: FnMut()> Write for SlowReader<'_, W, M> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        while !has_room(self.out, self.interval) {
            (self.work)();
        }
        self.out.write(&bytes[..bytes.len().min(ROOM_BYTES)])
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Waits for room no longer than that. An output without a reader has room: writing to it fails at once.
fn has_room(out: &impl AsFd, longest: Duration) -> bool {
    let mut polled = [PollFd::new(out, PollFlags::OUT)];
    let longest = Timespec::try_from(longest).ok();
    // After an interruption by a signal, the next call finds out.
    poll(&mut polled, longest.as_ref()).is_ok_and(|ready| ready > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    const MESSAGE_BYTES: usize = 1 << 20;

    #[test]
    fn work_goes_on_until_the_reader_reads_and_no_byte_is_lost() {
        let (mut read, mut written) = io::pipe().unwrap();
        let (begin, begun) = std::sync::mpsc::channel();
        let reader = std::thread::spawn(move || {
            begun.recv().unwrap();
            let mut all = Vec::new();
            read.read_to_end(&mut all).unwrap();
            all
        });
        let message: Vec<u8> = (0..MESSAGE_BYTES)
            .map(|number| (number % 251) as u8)
            .collect();
        let mut calls = 0;
        let mut slow = SlowReader {
            out: &mut written,
            interval: Duration::from_millis(1),
            work: || {
                calls += 1;
                if calls == 3 {
                    begin.send(()).unwrap();
                }
            },
        };
        slow.write_all(&message).unwrap();
        slow.flush().unwrap();
        assert!(calls >= 3);
        drop(written);
        assert_eq!(reader.join().unwrap(), message);
    }

    #[test]
    fn without_a_reader_writing_fails_and_does_not_wait() {
        let (read, mut written) = io::pipe().unwrap();
        drop(read);
        let mut slow = SlowReader {
            out: &mut written,
            interval: Duration::from_millis(1),
            work: || {},
        };
        let error = slow.write_all(&[7; MESSAGE_BYTES]).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    }
}
