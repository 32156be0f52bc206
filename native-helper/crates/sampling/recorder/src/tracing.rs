//! Tracing in force, as captures and answers have it.

use capture::tracing::{TracedFunctions, TracedProcesses};

/// The same of an attached VM.
pub fn traced_functions(found: attach::TracedFunctions) -> TracedFunctions {
    TracedFunctions {
        looked_at: found.looked_at,
        traced: found.traced,
        reported: found.reported,
        counted: found.counted,
        timed: found.timed,
        measured: found.measured,
    }
}

/// The same of the processes of an attached VM.
pub fn traced_processes(found: attach::TracedProcesses) -> TracedProcesses {
    TracedProcesses {
        looked_at: found.looked_at,
        left_out: found.left_out,
        traced: found.traced,
        sends: found.sends,
        receives: found.receives,
        events: found.events,
        scheduling: found.scheduling,
        collections: found.collections,
    }
}
