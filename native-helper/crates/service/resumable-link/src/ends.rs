//! Both streams of one side: the bytes it sends until the other has received them, and the bytes it
//! has received until they are taken. No threads, no files.

use std::collections::VecDeque;

use crate::frame::MAX_DATA_BYTES;

/// The other side claims to have received more than was sent, or less than it has confirmed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the other side has received {received} bytes, and {confirmed} to {sent} would make sense")]
pub struct ImpossibleConfirmation {
    received: u64,
    confirmed: u64,
    sent: u64,
}

/// See the module. Positions count bytes from the beginning of the conversation.
#[derive(Debug, Default)]
pub struct Ends {
    unconfirmed: VecDeque<u8>,
    confirmed: u64,
    arrived: VecDeque<u8>,
    received: u64,
}

impl Ends {
    /// How many bytes have been sent in all.
    pub fn sent(&self) -> u64 {
        self.confirmed + self.unconfirmed.len() as u64
    }

    /// How many bytes have been sent and not been confirmed.
    pub fn unconfirmed_bytes(&self) -> usize {
        self.unconfirmed.len()
    }

    /// Adds bytes to send.
    pub fn send(&mut self, bytes: &[u8]) {
        self.unconfirmed.extend(bytes);
    }

    /// The bytes sent from a position on, as many as fit into a frame; empty where there are none.
    pub fn sent_from(&self, position: u64) -> Vec<u8> {
        let skipped = usize::try_from(position.saturating_sub(self.confirmed));
        let rest = self.unconfirmed.iter().skip(skipped.unwrap_or(usize::MAX));
        rest.take(MAX_DATA_BYTES).copied().collect()
    }

    /// The other side has received so much in all.
    pub fn confirm(&mut self, received: u64) -> Result<(), ImpossibleConfirmation> {
        let (confirmed, sent) = (self.confirmed, self.sent());
        if received < confirmed || received > sent {
            return Err(ImpossibleConfirmation {
                received,
                confirmed,
                sent,
            });
        }
        // It is not more than the buffer has.
        let count = usize::try_from(received - confirmed).unwrap_or(usize::MAX);
        self.unconfirmed.drain(..count.min(self.unconfirmed.len()));
        self.confirmed = received;
        Ok(())
    }

    /// How much has been received in all.
    pub fn received(&self) -> u64 {
        self.received
    }

    /// How much has been received and not been taken.
    pub fn arrived_bytes(&self) -> usize {
        self.arrived.len()
    }

    /// The next bytes of the other side.
    pub fn arrive(&mut self, bytes: &[u8]) {
        self.received += bytes.len() as u64;
        self.arrived.extend(bytes);
    }

    /// Takes received bytes, as many as there are and fit.
    pub fn take(&mut self, into: &mut [u8]) -> usize {
        let count = into.len().min(self.arrived.len());
        for (to, from) in into.iter_mut().zip(self.arrived.drain(..count)) {
            *to = from;
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn confirmed_bytes_are_forgotten_and_the_rest_can_be_sent_again() {
        let mut ends = Ends::default();
        ends.send(b"abcdef");
        assert_eq!(ends.sent_from(0), b"abcdef");
        ends.confirm(4).unwrap();
        assert_eq!(
            (ends.sent_from(4), ends.unconfirmed_bytes()),
            (b"ef".to_vec(), 2)
        );
        assert_eq!(ends.sent_from(5), b"f");
        assert_eq!((ends.sent_from(6), ends.sent()), (Vec::new(), 6));
        assert!(ends.sent_from(u64::MAX).is_empty());
    }

    #[test]
    fn confirming_unsent_bytes_or_taking_it_back_is_refused() {
        let mut ends = Ends::default();
        ends.send(b"abc");
        ends.confirm(2).unwrap();
        for received in [1, 4, u64::MAX] {
            assert!(ends.confirm(received).is_err(), "{received}");
        }
        assert_eq!((ends.unconfirmed_bytes(), ends.sent()), (1, 3));
    }

    #[test]
    fn what_arrives_is_taken_in_order() {
        let mut ends = Ends::default();
        ends.arrive(b"abc");
        ends.arrive(b"de");
        let mut four = [0; 4];
        assert_eq!((ends.take(&mut four), &four), (4, b"abcd"));
        assert_eq!((ends.take(&mut four), four[0]), (1, b'e'));
        assert_eq!((ends.take(&mut four), ends.received()), (0, 5));
    }
}
