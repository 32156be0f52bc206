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

/// It was asked something else than it does. Nobody but a program of another version says such a thing.
pub(crate) fn asked_out_of_order() -> Refusal {
    lost(&"it was asked for something out of order")
}
