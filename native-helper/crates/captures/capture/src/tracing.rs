//! Tracing in force, of calls and of processes: it takes time of its own.

use serde::{Deserialize, Serialize};

use crate::counted::counted;

/// Functions with a breakpoint, by what happens at a call of one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(default)]
pub struct TracedFunctions {
    /// Functions of loaded modules, all of which were looked at.
    pub looked_at: u64,
    /// Functions with a breakpoint.
    pub traced: u64,
    /// Their calls are reported to a tracer.
    pub reported: u64,
    /// Their calls are counted.
    pub counted: u64,
    /// The time of their calls is added up.
    pub timed: u64,
    /// The memory that their calls take is added up.
    pub measured: u64,
}

impl TracedFunctions {
    /// `call tracing is on: 3 of 9000 functions have breakpoints (2 reported, 1 timed)`; `None` where none has one.
    pub fn heading(&self) -> Option<String> {
        let kinds = [
            (self.reported, "reported"),
            (self.counted, "counted"),
            (self.timed, "timed"),
            (self.measured, "memory measured"),
        ];
        let kinds: Vec<String> = kinds
            .iter()
            .filter(|(functions, _)| *functions > 0)
            .map(|(functions, kind)| format!("{functions} {kind}"))
            .collect();
        (self.traced > 0).then(|| {
            format!(
                "call tracing is on: {} of {} with a breakpoint ({})",
                self.traced,
                counted(self.looked_at, "function"),
                kinds.join(", ")
            )
        })
    }
}

/// Processes of which messages or events are reported to a tracer, by kind. Calls are not among it: see
/// [`TracedFunctions`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(default)]
pub struct TracedProcesses {
    /// Processes that were looked at.
    pub looked_at: u64,
    /// Further ones, of which nothing is known: there are too many to look at.
    pub left_out: u64,
    /// Processes of which something is reported.
    pub traced: u64,
    /// The messages that they send.
    pub sends: u64,
    /// The messages that they receive.
    pub receives: u64,
    /// Their starts, links, names and ends.
    pub events: u64,
    /// When they begin and stop to run.
    pub scheduling: u64,
    /// Their garbage collections.
    pub collections: u64,
}

impl TracedProcesses {
    /// `process tracing is on: 3 of 340 processes (messages sent of 2, garbage collections of 1)`; `None` where none is
    /// traced and all were looked at.
    pub fn heading(&self) -> Option<String> {
        let kinds = [
            (self.sends, "messages sent"),
            (self.receives, "messages received"),
            (self.events, "events"),
            (self.scheduling, "scheduling"),
            (self.collections, "garbage collections"),
        ];
        let kinds: Vec<String> = kinds
            .iter()
            .filter(|(processes, _)| *processes > 0)
            .map(|(processes, kind)| format!("{kind} of {processes}"))
            .collect();
        let looked_at = counted(self.looked_at, "process");
        let found = match self.traced {
            0 => format!("process tracing: none of {looked_at}"),
            traced => {
                let kinds = kinds.join(", ");
                format!("process tracing is on: {traced} of {looked_at} ({kinds})")
            }
        };
        match (self.traced, self.left_out) {
            (0, 0) => None,
            (_, 0) => Some(found),
            (_, others) => Some(format!("{found}, and {others} others were not looked at")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_that_were_not_looked_at_are_named_and_not_called_untraced() {
        let found = TracedProcesses {
            looked_at: 340,
            ..TracedProcesses::default()
        };
        assert_eq!(found.heading(), None);
        let traced = TracedProcesses {
            traced: 3,
            sends: 2,
            collections: 1,
            ..found
        };
        let heading = "process tracing is on: 3 of 340 processes (messages sent of 2, garbage collections of 1)";
        assert_eq!(traced.heading().as_deref(), Some(heading));
        let cut = TracedProcesses {
            left_out: 7,
            ..found
        };
        let heading = "process tracing: none of 340 processes, and 7 others were not looked at";
        assert_eq!(cut.heading().as_deref(), Some(heading));
    }

    #[test]
    fn kinds_that_there_are_not_are_left_out() {
        let found = TracedFunctions {
            looked_at: 9000,
            traced: 3,
            reported: 2,
            timed: 1,
            ..TracedFunctions::default()
        };
        let expected =
            "call tracing is on: 3 of 9000 functions with a breakpoint (2 reported, 1 timed)";
        assert_eq!(found.heading().as_deref(), Some(expected));
        assert_eq!(TracedFunctions::default().heading(), None);
    }
}
