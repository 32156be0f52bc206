//! Sending profiles to a store of continuous profiles (Pyroscope, or whatever takes OTLP profiles), a
//! profile every few seconds.
//!
//! [`address`] says where it is, [`credentials`] who sends, [`profile`] what, [`protocol`] in which
//! format; [`send`] sends one by
//! the system's `curl`, in a child without our rights. [`buffer`] keeps on disk what could not be
//! sent yet, within bounds, and [`pusher`] works it off; whatever does not arrive is counted.

pub mod address;
pub mod buffer;
pub mod credentials;
pub mod profile;
pub mod protocol;
pub mod pusher;
pub mod send;
