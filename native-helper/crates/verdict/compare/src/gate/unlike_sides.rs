//! Differences between how the captures of both sides were taken that can make an answer by themselves: another engine,
//! call tracing or a halted VM on one side alone, time in the kernel that one side may lack. Their size is not known, but often their
//! direction: an answer stays where such a difference could only have moved the figure the other way.

use crate::answer::Comparison;
use crate::condition::{Condition, Subject};
use crate::judgement::{Doubt, Reason};
use crate::machine::Beside;
use crate::measure::Measure;
use crate::notes::{Note, NoteKind};

/// The engine that leaves stacks unproven, and so lowers the figures of functions.
const LOWERS: &str = "readv";

impl Condition {
    /// Those that its figures may have.
    pub(super) fn unlike_sides(&self, comparison: &Comparison, measure: Measure) -> Vec<Beside> {
        let notes = comparison.notes.iter();
        notes
            .filter_map(|note| self.unlike_by(note, comparison, measure))
            .collect()
    }

    fn unlike_by(&self, note: &Note, comparison: &Comparison, measure: Measure) -> Option<Beside> {
        let value = |at: usize| note.values.get(at).map_or("", String::as_str);
        let (raises, lowers, fix) = match note.kind {
            // A sample is of the whole and of its class whatever is known of its stack.
            NoteKind::Engine if !matches!(self.subject, Subject::Whole | Subject::Class(_)) => {
                let (base, new) = (value(0).contains(LOWERS), value(1).contains(LOWERS));
                let fix = "record both sides with one engine (`record --engine`)";
                (base || !new, new || !base, fix)
            }
            NoteKind::TracingOnOneSide => {
                let traced = [&comparison.base.name, &comparison.new.name]
                    .map(|name| name.as_str() == value(0));
                // What tracing takes, others do not have: of all, and each second where the processors are busy.
                let has_base = self.subject == Subject::Whole || measure == Measure::Work;
                let (raises, lowers) = (traced[1] || !has_base, traced[0] || !has_base);
                let fix = "record both sides without call tracing (`dbg`, `eprof`, `tprof`)";
                (raises, lowers, fix)
            }
            // Of a halted VM each second has less, and each unit of work the same.
            NoteKind::HaltedOnOneSide if measure == Measure::Cpu => {
                let halted = [&comparison.base.name, &comparison.new.name]
                    .map(|name| name.as_str() == value(0));
                let fix = "record both sides while nothing halts the VM";
                (halted[0], halted[1], fix)
            }
            NoteKind::KernelTimeOnOneSide | NoteKind::KernelTimeUnknown => {
                let fix = "record both sides with one helper and the same rights: all with time in the kernel, or none";
                (true, true, fix)
            }
            _ => return None,
        };
        let values: Vec<&str> = note.values.iter().map(String::as_str).collect();
        let doubt = Doubt::new(Reason::UnlikeSides, &values, note.text.as_str(), fix);
        Some(Beside::of_unknown_size(raises, lowers, doubt))
    }
}
