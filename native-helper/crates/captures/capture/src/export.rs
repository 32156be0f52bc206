//! Captures in the formats of other tools.

pub mod firefox;
pub mod folded;
pub mod html;
pub mod otlp;
pub mod perf_map;
pub mod speedscope;
