//! Call tracing in force: it takes time of its own.

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

#[cfg(test)]
mod tests {
    use super::*;

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
