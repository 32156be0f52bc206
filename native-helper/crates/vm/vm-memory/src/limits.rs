//! How much a walk through the structures of a VM may read.

/// How much a walk through all instances may read, so that no list is without an end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WalkLimits {
    /// Carriers.
    pub carriers: usize,
    /// Bytes of carriers that are read as a whole.
    pub whole_bytes: u64,
}

impl WalkLimits {
    /// Half a million carriers are more than a terabyte of them; those that have to be read as a whole are
    /// of allocators that have hardly any.
    pub const OF_A_VM: Self = Self {
        carriers: 500_000,
        whole_bytes: 64 << 20,
    };
}
