//! Channels by code that the program holds once.
//!
//! The channels of the standard library are compiled anew for each type of message, some 8 KB
//! each. Here the messages are in a list, and a channel of the standard library, the same for all
//! types, has a token for each. They are for a few messages, not for one of each sample.

use std::collections::VecDeque;
use std::fmt;
use std::sync::mpsc::{self, RecvError, RecvTimeoutError, SendError, TryRecvError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A channel without a limit.
#[must_use]
pub fn channel<T>() -> (Sender<T>, Receiver<T>) {
    let (bell, rung) = mpsc::channel();
    of(Bell::Unlimited(bell), rung)
}

/// A channel whose sender waits while so many messages are not yet taken; with 0 until its message
/// is taken.
#[must_use]
pub fn sync_channel<T>(most: usize) -> (Sender<T>, Receiver<T>) {
    let (bell, rung) = mpsc::sync_channel(most);
    of(Bell::Limited(bell), rung)
}

fn of<T>(bell: Bell, rung: mpsc::Receiver<()>) -> (Sender<T>, Receiver<T>) {
    let messages = Messages(Arc::new(Mutex::new(VecDeque::new())));
    let sender = Sender {
        messages: Messages(Arc::clone(&messages.0)),
        bell,
    };
    let receiver = Receiver {
        rung,
        messages: Received(messages),
    };
    (sender, receiver)
}

#[derive(Clone)]
enum Bell {
    Unlimited(mpsc::Sender<()>),
    Limited(mpsc::SyncSender<()>),
}

impl Bell {
    #[inline(never)]
    fn ring(&self) -> Result<(), SendError<()>> {
        match self {
            Self::Unlimited(bell) => bell.send(()),
            Self::Limited(bell) => bell.send(()),
        }
    }
}

struct Messages<T>(Arc<Mutex<VecDeque<T>>>);

impl<T> Messages<T> {
    fn add(&self, message: T) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.push_back(message);
    }

    fn take(&self) -> Option<T> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.pop_front()
    }

    fn drop_all(&self) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let all = std::mem::take(&mut *all);
        // The lock is free by now: a message may be a sender itself.
        drop(all);
    }
}

/// Sends messages. Clones send to the same receiver.
pub struct Sender<T> {
    messages: Messages<T>,
    bell: Bell,
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Self {
        Self {
            messages: Messages(Arc::clone(&self.messages.0)),
            bell: self.bell.clone(),
        }
    }
}

impl<T> Sender<T> {
    /// Sends a message.
    ///
    /// # Errors
    /// There is no receiver any more.
    pub fn send(&self, message: T) -> Result<(), SendError<()>> {
        // Before the bell: the receiver that it wakes takes the message.
        self.messages.add(message);
        // Without a receiver they stay.
        self.bell.ring().inspect_err(|_| self.messages.drop_all())
    }
}

/// Receives the messages, each once, in the order in which they were sent.
pub struct Receiver<T> {
    // Dropped before the messages: one that is sent then is dropped by its sender.
    rung: mpsc::Receiver<()>,
    messages: Received<T>,
}

/// Drops those that are not taken together with the receiver.
struct Received<T>(Messages<T>);

impl<T> Drop for Received<T> {
    fn drop(&mut self) {
        self.0.drop_all();
    }
}

impl<T> Receiver<T> {
    /// The next message; waits for it.
    ///
    /// # Errors
    /// There is none, and no sender any more.
    pub fn recv(&self) -> Result<T, RecvError> {
        self.rung.recv()?;
        self.messages.0.take().ok_or(RecvError)
    }

    /// The next message, waiting at most so long.
    ///
    /// # Errors
    /// There was none in that time, or there is none and no sender any more.
    pub fn recv_timeout(&self, longest: Duration) -> Result<T, RecvTimeoutError> {
        self.rung.recv_timeout(longest)?;
        let message = self.messages.0.take();
        message.ok_or(RecvTimeoutError::Disconnected)
    }

    /// The next message, if it is there.
    ///
    /// # Errors
    /// There is none now, or no sender any more.
    pub fn try_recv(&self) -> Result<T, TryRecvError> {
        self.rung.try_recv()?;
        let message = self.messages.0.take();
        message.ok_or(TryRecvError::Disconnected)
    }

    /// The messages that are there.
    pub fn try_iter(&self) -> impl Iterator<Item = T> + '_ {
        std::iter::from_fn(|| self.try_recv().ok())
    }
}

impl<T> fmt::Debug for Sender<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Sender")
    }
}

impl<T> fmt::Debug for Receiver<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Receiver")
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::thread;

    use super::*;

    #[test]
    fn messages_of_all_senders_arrive_in_order() {
        let (sender, receiver) = channel();
        thread::scope(|scope| {
            for thread in 0..4_usize {
                let sender = sender.clone();
                scope.spawn(move || {
                    for number in 0..1000_usize {
                        sender.send((thread, number)).unwrap();
                    }
                });
            }
            drop(sender);
            let mut next = [0; 4];
            while let Ok((thread, number)) = receiver.recv() {
                assert_eq!(number, next[thread]);
                next[thread] += 1;
            }
            assert_eq!(next, [1000; 4]);
        });
        assert_eq!(receiver.recv(), Err(RecvError));
        assert_eq!(receiver.try_recv(), Err(TryRecvError::Disconnected));
    }

    #[test]
    fn nothing_is_there_before_it_is_sent() {
        let (sender, receiver) = sync_channel(2);
        let none = receiver.recv_timeout(Duration::ZERO);
        assert_eq!(none, Err(RecvTimeoutError::Timeout));
        assert_eq!(receiver.try_recv(), Err(TryRecvError::Empty));
        sender.send(1).unwrap();
        sender.send(2).unwrap();
        assert_eq!(receiver.try_iter().collect::<Vec<_>>(), [1, 2]);
        drop(sender);
        let none = receiver.recv_timeout(Duration::from_secs(9));
        assert_eq!(none, Err(RecvTimeoutError::Disconnected));
    }

    #[test]
    fn with_no_room_the_sender_waits_until_its_message_is_taken() {
        let (sender, receiver) = sync_channel(0);
        let sending = thread::spawn(move || sender.send("taken"));
        assert_eq!(receiver.recv(), Ok("taken"));
        assert!(sending.join().unwrap().is_ok());
    }

    #[test]
    fn a_message_without_a_receiver_is_dropped() {
        let (sender, receiver) = channel();
        let (before, after) = (Arc::new(()), Arc::new(()));
        sender.send(Arc::clone(&before)).unwrap();
        drop(receiver);
        assert_eq!(Arc::strong_count(&before), 1);
        assert!(sender.send(Arc::clone(&after)).is_err());
        assert_eq!(Arc::strong_count(&after), 1);
    }
}
