//! How full a table is.

/// How far a table is filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fill {
    /// How many there are.
    pub count: u32,
    /// How many there may be.
    pub limit: u32,
}
