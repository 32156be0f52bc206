//! How messages that wait for a process are made, and the buffers that some of them wait in.
//!
//! The same in OTP 23 to 29, by the debug information of the headers of 25.2.3, 27.3.4 and 29.1.1, and read live on
//! Debian's 23, 25, 27 and 29. Buffers there are since OTP 25. The size of the lock before their fields depends on
//! how an emulator was configured, so a reader checks the consistency of each buffer: see [`BUFFER_LAST`].

/// Bytes of an `ErtsMessage`.
pub const MESSAGE_BYTES: u64 = 88;
/// In a message: the next one.
pub const MESSAGE_NEXT: usize = 0;
/// In a message: the memory of its own that its term is in, or null.
pub const MESSAGE_DATA: usize = 8;
/// In a message: its term; 0 in a signal that is no message.
pub const MESSAGE_TERM: usize = 16;
/// Bits of the term of a message that is none, but another signal.
pub const SIGNAL_TAG: u64 = 3;
/// In [`MESSAGE_DATA`], for a fragment that lies within the message, behind its terms.
pub const MESSAGE_WITH_FRAGMENT: u64 = 1;
/// In a message: the fragment that lies within it.
pub const MESSAGE_FRAGMENT: usize = 40;
/// In a heap fragment: the next one.
pub const FRAGMENT_NEXT: usize = 0;
/// In a heap fragment: the first element of its list of terms that refer outside of it, or null.
pub const FRAGMENT_OFF_HEAP: usize = 8;
/// In a heap fragment: how many words it has.
pub const FRAGMENT_SIZE: usize = 24;
/// In a heap fragment: how many of its words are in use.
pub const FRAGMENT_USED: usize = 32;
/// In a heap fragment: its first word.
pub const FRAGMENT_WORDS: usize = 40;
/// Lists of messages in the buffers of a process.
pub const BUFFERS: usize = 64;
/// From one buffer to the next.
pub const BUFFER_BYTES: usize = 128;
/// In a buffer: whether it is in use, 32 bits.
pub const BUFFER_IN_USE: usize = 40;
/// In a buffer: its first message, or null.
pub const BUFFER_FIRST: usize = 56;
/// In a buffer: where the next message goes. While the buffer is empty that is the word before this one.
pub const BUFFER_LAST: usize = 64;
/// In a buffer: how many messages it has.
pub const BUFFER_LENGTH: usize = 72;
