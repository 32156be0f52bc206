//! Why there is nothing from the process that samples.

use std::fmt::Display;
use std::io;

use diagnose::refusal::{Refusal, RefusalKind};
use diagnose::shortage;
use protocol::message::texts;

/// The process that samples has ended, or is of no use.
pub(crate) fn lost(detail: &dyn Display) -> Refusal {
    let what = texts::SAMPLER_LOST.with(&[("detail", &detail)]);
    Refusal::new(RefusalKind::Other, what, texts::TO_SAMPLE_AGAIN.text())
}

/// It, or a thread that listens to it, was not started.
pub(crate) fn not_started(error: &io::Error) -> Refusal {
    let what = texts::SAMPLER_NOT_STARTED.with(&[("detail", error)]);
    let fix = shortage::of_start(error).unwrap_or_else(|| texts::TO_SAMPLE_AGAIN.text());
    Refusal::new(RefusalKind::Other, what, fix)
}

/// The process ended by itself: `mistake` is the last of its error output.
pub(crate) fn ended(status: &dyn Display, mistake: &str) -> Refusal {
    if mistake.is_empty() {
        return lost(status);
    }
    let refusal = lost(&format_args!("{status}: {mistake}"));
    // A message of the standard library, which ends the process then.
    match mistake.contains("memory allocation of") {
        true => {
            let what = refusal.explanation.what_text();
            Refusal::new(refusal.kind, what, texts::TO_FREE_MEMORY.text())
        }
        false => refusal,
    }
}

/// It received an order that is not valid here. Only a program of another version sends one.
pub(crate) fn asked_out_of_order() -> Refusal {
    lost(&"it received a request out of order")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shortage_is_mended_by_more_and_not_by_another_try() {
        let again = texts::TO_SAMPLE_AGAIN.english;
        let files = not_started(&io::Error::from_raw_os_error(24)).to_string();
        assert!(
            files.contains("cannot be started") && files.contains("ulimit -n"),
            "{files}"
        );
        let aborted = ended(&"signal: 6", "memory allocation of 240360 bytes failed");
        assert!(aborted.to_string().contains("ulimit -d"), "{aborted}");
        assert!(ended(&"signal: 9", "").to_string().ends_with(again));
        assert!(
            ended(&"exit status: 101", "a mistake")
                .to_string()
                .ends_with(again)
        );
    }
}
