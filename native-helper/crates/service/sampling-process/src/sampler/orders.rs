//! The orders, as they come in.
//!
//! They are read by the thread that samples and not by one of its own, which would keep the rights that
//! were given up after it was started.

use std::io::Read;
use std::os::fd::AsFd;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::dialog::Order;
use crate::frame;

/// Where orders come from.
#[derive(Debug)]
pub struct Orders<R>(R);

impl<R: Read + AsFd> Orders<R> {
    /// Those of `input`, which keeps nothing in a buffer of its own.
    pub fn of(input: R) -> Self {
        Self(input)
    }

    /// The next order, however long it takes; `None` when the process that gives orders has ended.
    pub fn wait(&mut self) -> Option<Order> {
        // `None` also for an unreadable order: it comes from another program, and there is no process to report that to.
        frame::read(&mut self.0).ok()
    }

    /// Whether there is an order, or the input is closed: [`Orders::wait`] returns at once then.
    pub fn has_news(&self) -> bool {
        let mut polled = [PollFd::new(&self.0, PollFlags::IN)];
        let at_once = Timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        // After an interruption by a signal, the next call finds out.
        poll(&mut polled, Some(&at_once)).is_ok_and(|ready| ready > 0)
    }
}
