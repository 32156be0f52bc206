//! The tests of comparisons, as one program: linking one for each file takes longer than running them.
#![allow(missing_docs)]

mod composition;
mod difference_page;
mod explained;
mod families;
mod gates;
mod history;
mod kernel_time;
mod machine;
mod matching;
mod named;
mod other_tools;
mod recorded;
mod simulated;
mod truth;
mod work;
