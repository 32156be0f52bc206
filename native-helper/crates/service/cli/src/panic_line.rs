//! The report of a fault of the program itself: one line, and no backtrace.

use std::panic::PanicHookInfo;

use crate::bisection;
use crate::failure::Exit;
use crate::terminal;

/// The message of the standard library when stdout cannot be written.
const STDOUT_CLOSED: &str = "failed printing to stdout";

/// Installs the hook.
pub fn install() {
    std::panic::set_hook(Box::new(|info| {
        let text = text_of(info);
        if text.starts_with(STDOUT_CLOSED) && !bisection::is_asked() {
            // A reader of the output may disconnect (`| head`): that ends this program quietly,
            // like any other tool.
            std::process::exit(0);
        }
        let place = info
            .location()
            .map(|place| format!(" ({}:{})", place.file(), place.line()));
        terminal::warn(&format!(
            "an error in the profiler: {}{}; please report it",
            text.replace('\n', " "),
            place.unwrap_or_default()
        ));
        if bisection::is_asked() {
            // The standard library's 101 would be a bad commit.
            std::process::exit(Exit::EndBisection as i32);
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    /// Set where the test that makes a mistake is to make it.
    const ON_PURPOSE: &str = "EXTROSPECT_TEST_MISTAKE";
    const MISTAKE: &str = "panic_line::tests::mistake";

    #[test]
    fn mistake() {
        if std::env::var_os(ON_PURPOSE).is_some() {
            install();
            panic!("on\npurpose");
        }
    }

    #[test]
    fn a_mistake_of_ours_ends_a_bisection() {
        let ends = |words: &[&str]| {
            let program = std::env::current_exe().expect("this program");
            let mut tests = Command::new(program);
            // The words are names of tests, too, which there are not.
            tests.args([words[0], "--exact", MISTAKE, "--", words[1]]);
            let output = tests.env(ON_PURPOSE, "1").output().expect("it starts");
            output.status.code()
        };
        assert_eq!(ends(&["diff", "--bisect"]), Some(128));
        assert_eq!(ends(&["diff", "--all"]), Some(101));
        assert_eq!(ends(&["record", "--bisect"]), Some(101));
    }
}
