//! Refusals about detached captures.

use std::fmt::Display;
use std::io;

use diagnose::refusal::{Refusal, RefusalKind};
use protocol::message::texts;

use super::name::DetachedName;

/// The name is not a valid one.
pub fn no_name(name: &str) -> Refusal {
    let what = texts::NO_DETACHED_NAME.with(&[("name", &name)]);
    let refusal = Refusal::new(RefusalKind::Other, what, texts::TO_CHOOSE_NAME.text());
    refusal.because(texts::WHY_NO_DETACHED_NAME.text())
}

pub(super) fn taken(name: &DetachedName) -> Refusal {
    let what = texts::DETACHED_NAME_TAKEN.with(&[("name", name)]);
    let fix = texts::TO_CHOOSE_NAME_OR_REMOVE.with(&[("name", name)]);
    Refusal::new(RefusalKind::Other, what, fix)
}

pub(super) fn no_place(name: &DetachedName, error: &io::Error) -> Refusal {
    let what = texts::DETACHED_NOT_KEPT.with(&[("name", name), ("detail", error)]);
    Refusal::new(RefusalKind::Other, what, texts::TO_MEND_STATE_FOLDER.text())
}

pub(super) fn unreadable(name: &DetachedName, error: &io::Error) -> Refusal {
    let (what, fix) = match error.kind() {
        io::ErrorKind::NotFound => (
            texts::NO_DETACHED_CAPTURE.with(&[("name", name)]),
            texts::TO_LIST_DETACHED.text(),
        ),
        _ => (
            texts::DETACHED_UNREADABLE.with(&[("name", name), ("detail", error)]),
            texts::TO_MEND_STATE_FOLDER.text(),
        ),
    };
    Refusal::new(RefusalKind::Other, what, fix)
}

pub(super) fn goes_on(name: &DetachedName) -> Refusal {
    let what = texts::DETACHED_GOES_ON.with(&[("name", name)]);
    let fix = texts::TO_STOP_DETACHED.with(&[("name", name)]);
    Refusal::new(RefusalKind::Other, what, fix)
}

pub(super) fn not_ended(name: &DetachedName) -> Refusal {
    let what = texts::DETACHED_NOT_ENDED.with(&[("name", name)]);
    Refusal::new(RefusalKind::Other, what, texts::TO_TRY_LATER.text())
}

pub(super) fn not_started(name: &DetachedName, why: &dyn Display) -> Refusal {
    let what = texts::DETACHED_NOT_STARTED.with(&[("name", name), ("detail", &why)]);
    Refusal::new(RefusalKind::Other, what, texts::TO_SEE_WHY.text())
}
