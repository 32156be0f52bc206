//! What is said when the program itself is at fault: one line, and no backtrace.

use std::panic::PanicHookInfo;

use crate::terminal;

/// What the standard library says when stdout cannot be written.
const STDOUT_CLOSED: &str = "failed printing to stdout";

/// Installs the hook.
pub fn install() {
    std::panic::set_hook(Box::new(|info| {
        let text = text_of(info);
        if text.starts_with(STDOUT_CLOSED) {
            // A reader of our output may go away (`| head`): that ends us quietly, like any
            // other tool.
            std::process::exit(0);
        }
        let place = info
            .location()
            .map(|place| format!(" ({}:{})", place.file(), place.line()));
        terminal::warn(&format!(
            "a mistake in the profiler: {}{}; please report it",
            text.replace('\n', " "),
            place.unwrap_or_default()
        ));
    }));
}

fn text_of(info: &PanicHookInfo<'_>) -> String {
    let payload = info.payload();
    let text = payload
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned());
    text.or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".to_owned())
}
