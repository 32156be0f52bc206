//! The names of the target's threads. A thread inherits the name of the one that starts it and mostly
//! gets its own soon after, so names are looked at again, less and less often.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

/// Until a name is looked at again for the first time; each time after that takes twice as long.
const FIRST_WAIT: Duration = Duration::from_millis(200);

#[derive(Debug)]
struct Named {
    name: String,
    next_look: Instant,
    wait: Duration,
}

/// Names by thread.
#[derive(Debug, Default)]
pub(super) struct ThreadNames(HashMap<u32, Named>);

impl ThreadNames {
    /// The threads whose names are to be looked at again.
    pub(super) fn due(&self, now: Instant) -> Vec<u32> {
        let due = self.0.iter().filter(|(_, named)| named.next_look <= now);
        due.map(|(tid, _)| *tid).collect()
    }

    /// A thread has this name now. True when it had another one, or none.
    pub(super) fn note(&mut self, tid: u32, name: &str, now: Instant) -> bool {
        let Some(known) = self.0.get_mut(&tid) else {
            let named = Named {
                name: name.to_owned(),
                next_look: now + FIRST_WAIT,
                wait: FIRST_WAIT,
            };
            self.0.insert(tid, named);
            return true;
        };
        if known.next_look <= now {
            known.wait = known.wait.saturating_mul(2);
            known.next_look = now + known.wait;
        }
        let is_new = known.name != name;
        if is_new {
            name.clone_into(&mut known.name);
        }
        is_new
    }

    /// Forgets threads that have ended: their numbers may become those of others.
    pub(super) fn retain(&mut self, alive: &HashSet<u32>) {
        self.0.retain(|tid, _| alive.contains(tid));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_looked_at_less_and_less_often_and_never_for_the_last_time() {
        let start = Instant::now();
        let at = |ms| start + Duration::from_millis(ms);
        let mut names = ThreadNames::default();
        assert!(names.note(7, "erts_sched_1", at(0)));
        let looks: Vec<u64> = (0..10_000)
            .step_by(200)
            .filter(|ms| {
                let is_due = names.due(at(*ms)) == [7];
                if is_due {
                    names.note(7, "erts_sched_1", at(*ms));
                }
                is_due
            })
            .collect();
        assert_eq!(looks, [200, 600, 1400, 3000, 6200]);
        assert!(names.note(7, "rayon-0", at(20_000)));
        assert!(!names.note(7, "rayon-0", at(20_001)));
        names.retain(&HashSet::new());
        assert!(
            names.note(7, "rayon-0", at(20_002)),
            "another thread by now"
        );
    }
}
