//! Why there is nothing from the process that samples.

use std::fmt::Display;

use diagnose::refusal::{Refusal, RefusalKind};
use protocol::message::texts;

/// The process that samples is not there any more, or not to be used.
pub(crate) fn lost(detail: &dyn Display) -> Refusal {
    let what = texts::SAMPLER_LOST.with(&[("detail", &detail)]);
    Refusal::new(RefusalKind::Other, what, texts::TO_SAMPLE_AGAIN.text())
}

/// It answered something else than it was asked.
pub(crate) fn out_of_order() -> Refusal {
    lost(&"it said something out of order")
}
