//! The resolving side: raw samples to named frames, with their proof.

mod builds;
mod destructors;
mod erlang_code;
mod frames;
mod identity;
mod native_frames;
mod remembered;
mod resolver;
mod skid;
mod tally;

pub use frames::{code_facts, code_or_mark, erlang_facts};
pub use identity::scheduler_id;
pub use resolver::{HeldSample, Resolver};
pub use tally::Tally;
