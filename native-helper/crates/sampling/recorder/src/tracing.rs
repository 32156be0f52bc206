//! Call tracing in force, as captures and answers have it.

use capture::tracing::TracedFunctions;

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
