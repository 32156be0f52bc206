//! Why there is nothing from the process that samples.

use std::fmt::Display;

use diagnose::look::MAX_LOOK;
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

/// It is there and does not answer, since the files of its target do not.
pub(crate) fn no_answer(pid: u32) -> Refusal {
    let seconds = MAX_LOOK.as_secs();
    let what = texts::NO_ANSWER.with(&[("pid", &pid), ("seconds", &seconds)]);
    let fix = texts::TO_MAKE_FILES_ANSWER.with(&[("pid", &pid)]);
    Refusal::new(RefusalKind::Other, what, fix)
}
