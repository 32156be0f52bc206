//! Sending profiles to a store of continuous profiles (Pyroscope, or any store that takes OTLP profiles), a profile
//! every few seconds.
//!
//! [`address`] has its address, [`credentials`] those of the sender, [`profile`] the profile,
//! [`protocol`] the format; [`send`] sends one by the system's `curl`, in a child without our
//! rights. [`buffer`] keeps on disk the profiles that could not be sent yet, within bounds, and
//! [`pusher`] works it off; each profile that does not arrive is counted.

pub mod address;
pub mod buffer;
pub mod credentials;
pub mod profile;
pub mod protocol;
pub mod pusher;
pub mod send;
