//! Captures in the formats of other tools.

pub mod folded;
pub mod perf_map;
pub mod speedscope;
