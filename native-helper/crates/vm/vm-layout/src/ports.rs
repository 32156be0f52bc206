//! Where a port has its fields.
//!
//! The figures are data like those of [`super::rows`]. The id of a port gives the place of the table that it
//! belongs to; other data read of it are checked for plausibility.

/// Offsets in `Port`, bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PortLayout {
    /// Where the figures come from.
    pub provenance: &'static str,
    /// Bytes to read to have every field below except `os_pid`.
    pub read_bytes: usize,
    /// Its id, a term.
    pub id: usize,
    /// How busy it is, 32 bits: the `FLAG_` bits.
    pub flags: usize,
    /// Whose it is, a pid.
    pub owner: usize,
    /// Bytes it has read.
    pub bytes_in: usize,
    /// Bytes it was given to write.
    pub bytes_out: usize,
    /// Bytes that its driver holds back.
    pub queue_bytes: usize,
    /// Its name, a C string.
    pub name: usize,
    /// Its driver, an `erts_driver_t`.
    pub driver: usize,
    /// The process of the operating system that it is a pipe to, -1 for none.
    pub os_pid: usize,
    /// In the driver: its name, an atom.
    pub driver_name: usize,
}

/// One row for OTP 23 to 29, where nothing of it moved.
pub const PORT: PortLayout = PortLayout {
    provenance: "debug information of OTP 25.2.3, 27.3.4 and 29.1.1 headers; read live on Debian's 23, 25, 27 and 29",
    read_bytes: 488,
    id: 0,
    flags: 152,
    owner: 232,
    bytes_in: 256,
    bytes_out: 264,
    queue_bytes: 280,
    name: 472,
    driver: 480,
    os_pid: 496,
    driver_name: 16,
};

/// Its driver accepts no further data.
pub const FLAG_BUSY: u32 = 0x10;
/// So much data waits for it that a sender is suspended.
pub const FLAG_BUSY_QUEUE: u32 = 0x20;
