//! Differences between how the captures of both sides, or of a newest commit and those before it, were taken that can
//! make an answer by themselves: another tool or engine, call tracing or a halted VM on one side alone, time in the
//! kernel that one side may lack, missing samples, fewer schedulers online. Their size is not known, but often their
//! direction: an answer stays where such a difference could only have moved the figure the other way.

use crate::answer::Comparison;
use crate::condition::{Condition, Subject};
use crate::judgement::{Doubt, Reason};
use crate::machine::Beside;
use crate::measure::Measure;
use crate::notes::{Note, NoteKind};

/// The engine that leaves stacks unproven, and so lowers the figures of functions.
const LOWERS: &str = "readv";

/// From so many percentage points on, the missing part is taken for that of one function; less, as if spread evenly.
const MUCH_MISSING_PCT: f64 = 5.0;

/// The least and the largest number in the value of a note.
fn least_and_most(value: &str) -> (u32, u32) {
    let words = value.split(' ');
    let numbers: Vec<u32> = words.filter_map(|word| word.parse().ok()).collect();
    let least = numbers.iter().min().copied().unwrap_or(0);
    let most = numbers.iter().max().copied().unwrap_or(u32::MAX);
    (least, most)
}

/// What of the program a figure is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    Whole,
    Class,
    Functions,
}

/// A figure of two sides, the older one first.
pub struct UnlikeSides<'a> {
    /// As notes name them.
    pub names: [&'a str; 2],
    /// See [`crate::answer::SideSummary::kernel_time`].
    pub kernel_time: [Option<bool>; 2],
    pub part: Part,
    pub measure: Measure,
}

impl Condition {
    /// Those that its figures may have.
    pub(super) fn unlike_sides(&self, comparison: &Comparison, measure: Measure) -> Vec<Beside> {
        let (base, new) = (&comparison.base, &comparison.new);
        let sides = UnlikeSides {
            names: [&base.name, &new.name],
            kernel_time: [base.kernel_time, new.kernel_time],
            part: match self.subject {
                Subject::Whole => Part::Whole,
                Subject::Class(_) => Part::Class,
                _ => Part::Functions,
            },
            measure,
        };
        let notes = comparison.notes.iter();
        notes.filter_map(|note| sides.beside(note)).collect()
    }
}

impl UnlikeSides<'_> {
    /// What the difference that a note names may have done to the figure; `None` where nothing.
    pub fn beside(&self, note: &Note) -> Option<Beside> {
        let value = |at: usize| note.values.get(at).map_or("", String::as_str);
        let named = || self.names.map(|name| name == value(0));
        let measure = self.measure;
        let mut size = f64::INFINITY;
        let (raises, lowers, fix) = match note.kind {
            // A sample is of the whole and of its class whatever is known of its stack.
            NoteKind::Engine if self.part == Part::Functions => {
                let (base, new) = (value(0).contains(LOWERS), value(1).contains(LOWERS));
                let fix = "record both sides with one engine (`record --engine`)";
                (base || !new, new || !base, fix)
            }
            // Tools differ in the frames of a stack, in the names of functions and in samples of waiting.
            NoteKind::OtherTool if self.part != Part::Whole => {
                (true, true, "record both sides with one tool")
            }
            // No share of a traced side has a bound: a capture contains how many functions were traced, not which, and
            // the samples in or below traced calls are only those that show it (`QualityRecord::traced`).
            NoteKind::TracingOnOneSide
            | NoteKind::TracingUnknown
            | NoteKind::ProcessTracingOnOneSide
            | NoteKind::ProcessTracingUnknown => self.of_tracing(note.kind, named()),
            // The missing part is in no sample: figures of processor time are lower by it. Where it is much, all may be
            // of one function, and shares are lower or higher.
            NoteKind::SamplesMissing => {
                let [base, new] = named();
                let is_share = measure == Measure::Share;
                size = self.size_of_missing([1, 3].map(|at| value(at).parse().unwrap_or(0.0)));
                if is_share && size.is_finite() {
                    return None;
                }
                let fix = "record both sides without lost samples: at a lower rate (`record -F`), or with less other load";
                (is_share || base, is_share || new, fix)
            }
            // Of a halted VM each second has less, and each unit of work the same.
            NoteKind::HaltedOnOneSide if measure == Measure::Cpu => {
                let halted = named();
                let fix = "record both sides while nothing halts the VM";
                (halted[0], halted[1], fix)
            }
            NoteKind::KernelTimeOnOneSide
            | NoteKind::KernelTimeUnknown
            | NoteKind::KernelTimeNotRecorded => {
                let [base, new] = self.kernel_time;
                let (raises, lowers) = of_kernel_time(base, new, measure);
                let fix = "record both sides with one helper and the same rights: all with time in the kernel, or none";
                (raises, lowers, fix)
            }
            // What a unit of work takes does not depend on how much runs at a time.
            NoteKind::SchedulersOnline if measure == Measure::Cpu => {
                let (base, new) = (least_and_most(value(0)), least_and_most(value(1)));
                let fix = "record both sides with the same number of schedulers online, or count work (`record --work-name`)";
                // With fewer, the whole can only be less, and one function can have what others no longer take.
                let is_part = self.part != Part::Whole;
                (is_part || base.0 < new.1, is_part || new.0 < base.1, fix)
            }
            _ => return None,
        };
        let values: Vec<&str> = note.values.iter().map(String::as_str).collect();
        let doubt = Doubt::new(Reason::UnlikeSides, &values, note.text.as_str(), fix);
        Some(Beside::of_size(size, raises, lowers, doubt))
    }

    /// The same of tracing on the named side. Where neither is named, both may have been traced in a part of their
    /// captures.
    fn of_tracing(&self, kind: NoteKind, [base, new]: [bool; 2]) -> (bool, bool, &'static str) {
        // What tracing takes, others do not have: of all, and each second where the processors are busy.
        let has_base = self.part == Part::Whole || self.measure == Measure::Work;
        let fix = match kind {
            NoteKind::TracingOnOneSide | NoteKind::TracingUnknown => {
                "record both sides without call tracing (`dbg`, `eprof`, `tprof`)"
            }
            _ => "record both sides without process tracing (`dbg:p`, `erlang:trace`)",
        };
        (!base || !has_base, !new || !has_base, fix)
    }

    /// The logarithm of how much larger figures of the side that lacks more would be beside the other, by the
    /// percentages of a note, which are rounded. Of functions, much of it may be of any one.
    fn size_of_missing(&self, [more_pct, other_pct]: [f64; 2]) -> f64 {
        if self.part != Part::Whole && more_pct - other_pct >= MUCH_MISSING_PCT {
            return f64::INFINITY;
        }
        let (most, least) = (more_pct + 0.5, (other_pct - 0.5).max(0.0));
        ((100.0 - least) / (100.0 - most).max(0.0)).ln()
    }
}

/// Whether time in the kernel can have raised the figures of the newer side against those of the older one, and whether
/// it can have lowered them, by the facts of each side ([`crate::answer::SideSummary::kernel_time`]).
///
/// The missing time is in no sample, so that no figure by processor time is larger for it: neither the whole, nor a
/// class, nor the self, total or own time of a function. So if both sides had it, or both had not,
///
/// | side that lacks it, or may | the increase would be | slower holds | it does not | faster holds | it does not |
/// |---|---|---|---|---|---|
/// | the newer one alone | as measured or larger | stays | cannot tell | cannot tell | stays |
/// | the older one alone | as measured or smaller | cannot tell | stays | stays | cannot tell |
/// | either | not known | cannot tell | cannot tell | cannot tell | cannot tell |
///
/// It is one alone where all captures of the other have that time, or none of its own has: then the other has no less
/// of it. Of functions without samples on one side, `new` is as slower, and `gone` as faster.
///
/// Shares are always in the last row: the time is missing in each denominator, and in the numerator of all functions
/// that call the kernel.
fn of_kernel_time(base: Option<bool>, new: Option<bool>, measure: Measure) -> (bool, bool) {
    if measure == Measure::Share {
        return (true, true);
    }
    let may_have = |side: Option<bool>| side != Some(false);
    let may_lack = |side: Option<bool>| side != Some(true);
    (
        may_have(new) && may_lack(base),
        may_have(base) && may_lack(new),
    )
}
