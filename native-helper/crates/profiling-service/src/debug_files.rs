//! Fetching the debug files of a VM, before it is attached to.
//!
//! A step of its own: attaching looks at what is on this machine and asks nobody, and whatever comes
//! of this step, attaching works as it did before.

use attach::TargetObjects;
use debuginfod::{Limits, Outcome, Progress, Servers, Wanted, Wish, fetch};
use diagnose::look::{Looker, expect_answer};

/// Fetches what the objects mapped by `pid` lack, if the user wishes it and there are servers to ask.
/// `looker` finds out first whether the process lets itself be read; when it does not, or is none,
/// nothing is said here: who attaches says it. `told` hears of progress, and `cancelled` is asked
/// some ten times a second.
pub fn fetch_missing(
    pid: u32,
    wish: &Wish,
    looker: &Looker,
    told: &mut dyn FnMut(&Progress),
    cancelled: &dyn Fn() -> bool,
) -> Outcome {
    let servers = Servers::of(wish);
    if servers == Servers::default() || expect_answer(pid, looker).is_err() {
        return Outcome::default();
    }
    let Ok(objects) = TargetObjects::of_process(pid) else {
        return Outcome::default();
    };
    let limits = Limits::of_environment();
    fetch(missing(&objects), &servers, &limits, told, cancelled)
}

/// What there is to fetch: the debug files of all objects that can be named to a server.
fn missing(objects: &TargetObjects) -> Vec<Wanted> {
    let nameless = objects.without_names().filter_map(|object| {
        Some(Wanted {
            object: object.name().to_owned(),
            build_id: object.build_id.clone()?,
        })
    });
    nameless.collect()
}
