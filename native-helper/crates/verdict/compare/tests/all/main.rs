//! The tests of comparisons, as one program: linking one for each file takes longer than running them.
#![allow(missing_docs)]

mod composition;
mod cuts;
mod difference_page;
mod explained;
mod families;
mod gates;
mod history;
mod history_gates;
mod history_machine;
mod kernel_time;
mod machine;
mod matching;
mod named;
mod one_question;
mod other_tools;
mod recorded;
mod simulated;
mod touched_gates;
mod truth;
mod types;
mod work;

/// How much of a repetition is done: by `npm run nightly`, else by day. See `test/nightly.mjs`.
fn night_or_day<T>(night: T, day: T) -> T {
    match std::env::var_os("EXTROSPECT_NIGHTLY") {
        Some(_) => night,
        None => day,
    }
}
