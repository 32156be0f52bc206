//! The counts of a function or a line while samples are counted.

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Counts {
    pub(crate) own_samples: u64,
    pub(crate) self_samples: u64,
    pub(crate) total_samples: u64,
}
