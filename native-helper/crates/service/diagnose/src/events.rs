//! `events`: the events that can be recorded here, and the reasons for others. Each mechanism is tried as a recording
//! begins.

use attach::{AttachedVm, attach};
use lockdown::Phase;
use perf_ring::KernelFrames;
use protocol::discovery::BeamRow;
use protocol::explanation::Explanation;
use protocol::message::texts;
use recorder::{Engine, MECHANISMS, Mechanism, Price, RecordError};
use serde::Serialize;

use crate::lock_in::lock_in;
use crate::look::{Looker, MAX_LOOK, row_within};
use crate::refusal::{Refusal, RefusalKind};

/// The result of `events`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EventsResult {
    /// The VM; null without one, and where nothing of it is known.
    pub vm: Option<BeamRow>,
    /// One row for each mechanism.
    pub events: Vec<EventRow>,
}

/// A mechanism, and whether it works here.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EventRow {
    /// The type of the samples, as `record --event` takes it.
    pub event: &'static str,
    /// The same for people.
    pub label: &'static str,
    /// The engine that reads the stacks.
    pub engine: &'static str,
    /// The event that takes samples, as `perf` calls it.
    pub source: &'static str,
    /// Null: that was not tried.
    pub recordable: Option<bool>,
    /// The part that its samples lack all the same.
    pub limit: Option<String>,
    /// Why it cannot be recorded, or was not tried, and the remedy.
    pub refusal: Option<Explanation>,
    /// Its cost to the VM.
    pub costs: &'static [Price],
}

/// The rows, and the obstacle if nothing can be recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct EventsFound {
    /// The rows.
    pub result: EventsResult,
    /// Why nothing can be recorded; `None` when something can.
    pub obstacle: Option<Refusal>,
}

/// How trying out a mechanism ended.
#[derive(Debug, Clone, PartialEq)]
enum Outcome {
    Works(KernelFrames),
    Refused(Refusal),
    NotTried(Refusal),
}

impl Outcome {
    fn of(tried: Result<KernelFrames, RecordError>) -> Self {
        match tried.map_err(|error| Refusal::from(&error)) {
            Ok(kernel) => Self::Works(kernel),
            // Whether it would have worked is not known.
            Err(refusal) if refusal.kind == RefusalKind::TargetGone => Self::NotTried(refusal),
            Err(refusal) => Self::Refused(refusal),
        }
    }

    fn refusal(&self) -> Option<&Refusal> {
        match self {
            Self::Works(_) => None,
            Self::Refused(refusal) | Self::NotTried(refusal) => Some(refusal),
        }
    }
}

/// Tries each mechanism on VM `pid`, or without one on this very process. `looker` finds out first whether the VM can be
/// read; then this process is locked in for it, and can only read it and print.
pub fn events(pid: Option<u32>, looker: &Looker) -> EventsFound {
    let Some(pid) = pid else {
        return found(None, &MECHANISMS.map(|one| Outcome::of(one.try_out(None))));
    };
    let (vm, attached) = match row_within(pid, looker, MAX_LOOK) {
        Ok(vm) => (vm, attached(pid)),
        Err(refusal) => (None, Err(refusal)),
    };
    let outcome = |one: Mechanism| match &attached {
        Ok(attached) => Outcome::of(one.try_out(Some(attached))),
        Err(refusal) => Outcome::NotTried(refusal.clone()),
    };
    found(vm, &MECHANISMS.map(outcome))
}

/// The only actions left after this are to read the VM and to open what samples it, and to print.
fn attached(pid: u32) -> Result<AttachedVm, Refusal> {
    lock_in(pid, vec![1, 2], Phase::Opening)?;
    attach(pid).map_err(|error| Refusal::from(&error))
}

fn found(vm: Option<BeamRow>, outcomes: &[Outcome]) -> EventsFound {
    let tried = || MECHANISMS.iter().zip(outcomes);
    let works = |outcome: &Outcome| matches!(outcome, Outcome::Works(_));
    let obstacle = match outcomes.iter().any(works) {
        true => None,
        // That of the engine that needs the fewest rights.
        false => tried()
            .find(|(one, _)| one.engine == Engine::Readv)
            .and_then(|(_, outcome)| outcome.refusal().cloned()),
    };
    let events = tried().map(|(one, outcome)| row(one, outcome)).collect();
    EventsFound {
        result: EventsResult { vm, events },
        obstacle,
    }
}

fn row(mechanism: &Mechanism, outcome: &Outcome) -> EventRow {
    let source = mechanism.event.name();
    let (recordable, limit) = match outcome {
        Outcome::Works(KernelFrames::Excluded) => {
            let limit = texts::FOUND_USER_ONLY.with(&[("event", &source)]);
            (Some(true), Some(limit.english))
        }
        Outcome::Works(_) => (Some(true), None),
        Outcome::Refused(_) => (Some(false), None),
        Outcome::NotTried(_) => (None, None),
    };
    let refusal = outcome.refusal();
    EventRow {
        event: mechanism.of.id,
        label: mechanism.of.label,
        engine: mechanism.engine.name(),
        source,
        recordable,
        limit,
        refusal: refusal.map(|it| Explanation::clone(&it.explanation)),
        costs: mechanism.prices,
    }
}

#[cfg(test)]
mod tests {
    use perf_ring::OpenError;

    use super::*;

    fn refused(error: RecordError) -> Outcome {
        Outcome::of(Err(error))
    }

    #[test]
    fn each_state_has_its_own_row() {
        let row = |outcome: &Outcome| row(&MECHANISMS[1], outcome);
        let works = row(&Outcome::of(Ok(KernelFrames::Leaf)));
        assert_eq!((works.event, works.engine), ("cpu", "readv"));
        assert_eq!(works.source, "cpu-clock");
        assert_eq!(works.recordable, Some(true));
        assert_eq!((works.limit, works.refusal), (None, None));
        let in_part = row(&Outcome::of(Ok(KernelFrames::Excluded)));
        assert_eq!(in_part.recordable, Some(true));
        assert!(in_part.limit.unwrap().contains("user code only"));
        let denied = row(&refused(OpenError::Denied.into()));
        assert_eq!(denied.recordable, Some(false));
        let refusal = denied.refusal.unwrap();
        assert!(refusal.what.starts_with("sampling is not allowed"));
        assert!(!refusal.fix.is_empty());
        let pid = std::process::id();
        let gone = row(&refused(RecordError::TargetGone { pid }));
        assert_eq!(gone.recordable, None);
        assert!(gone.refusal.is_some());
    }

    #[test]
    fn the_obstacle_is_that_of_the_engine_with_the_fewest_rights_and_none_where_anything_works() {
        let no_program = || refused(no_switches());
        let outcomes = [
            no_program(),
            Outcome::Works(KernelFrames::Leaf),
            no_program(),
        ];
        let some = found(None, &outcomes);
        assert_eq!(some.obstacle, None);
        let recordable: Vec<_> = some.result.events.iter().map(|it| it.recordable).collect();
        assert_eq!(recordable, [Some(false), Some(true), Some(false)]);
        let denied = refused(OpenError::Denied.into());
        let outcomes = [no_program(), denied.clone(), no_program()];
        assert_eq!(found(None, &outcomes).obstacle.as_ref(), denied.refusal());
    }

    fn no_switches() -> RecordError {
        RecordError::NotRecordable {
            of: "off-cpu",
            why: "the kernel may not be sampled here".to_owned(),
            is_permission: true,
        }
    }

    #[test]
    fn whatever_cannot_be_recorded_here_has_its_reason_and_what_to_do() {
        let found = events(None, &Looker::Thread);
        assert_eq!(found.result.vm, None);
        for row in found.result.events {
            assert_eq!(row.recordable, Some(row.refusal.is_none()), "{row:?}");
            if let Some(refusal) = row.refusal {
                assert!(!refusal.what.is_empty() && !refusal.fix.is_empty());
            }
        }
    }
}
