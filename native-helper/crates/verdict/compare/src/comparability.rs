//! Whether two sides can be compared at all.

use capture::quality::{SamplingGaps, StandstillReason};
use capture::sample_types::CPU;

use crate::counts::{Counting, SideCounts};
use crate::matching::{share_any, share_erlang};
use crate::measure::Measure;
use crate::notes::{Note, NoteKind};
use crate::refusal::Refusal;
use crate::side::{CaptureToCompare, Side};

/// The properties that must be the same for both sides before they are counted.
pub fn normalisation(base: &Side<'_>, new: &Side<'_>) -> Counting {
    let merges_kernel = match (lacks_kernel_functions(base), lacks_kernel_functions(new)) {
        (Some(base), Some(new)) => base != new,
        _ => false,
    };
    let all = || base.captures.iter().chain(&new.captures);
    Counting {
        merges_kernel,
        ignores_classes: all().any(|it| it.lacks_classes()) && all().any(|it| it.has_classes()),
    }
}

/// Whether a side has captures whose kernel frames are all one, `[kernel]`. A profile of another tool
/// may have the names of kernel functions without marking them as such.
fn lacks_kernel_functions(side: &Side<'_>) -> Option<bool> {
    let of_capture = |given: &CaptureToCompare<'_>| match given.capture.settings() {
        Some(settings) => Some(!settings.include_kernel),
        None => given.has_kernel_functions().then_some(false),
    };
    let mut known = side.captures.iter().filter_map(of_capture).peekable();
    known.peek()?;
    Some(known.any(|lacks| lacks))
}

/// Refuses sides that cannot be counted.
pub fn check_before(base: &Side<'_>, new: &Side<'_>, measure: Measure) -> Result<(), Refusal> {
    for side in [base, new] {
        if side.captures.is_empty() {
            return Err(Refusal::NoCapture {
                side: side.name.clone(),
            });
        }
    }
    let all = || base.captures.iter().chain(&new.captures);
    if let Some(given) = all().find(|given| given.capture.is_of_memory()) {
        return Err(Refusal::Memory {
            capture: given.name.clone(),
        });
    }
    if let Some(given) = all().find(|given| given.capture.is_of_waiting()) {
        return Err(Refusal::Waiting {
            capture: given.name.clone(),
        });
    }
    check_types(all(), measure)?;
    if measure == Measure::Work {
        check_work(all())?;
    }
    if measure == Measure::Cpu
        && let Some(given) = all().find(|given| given.seconds() <= 0.0)
    {
        return Err(Refusal::NoLength {
            capture: given.name.clone(),
        });
    }
    Ok(())
}

fn type_of(given: &CaptureToCompare<'_>) -> &'static str {
    given.capture.shown().id
}

/// Refuses captures unless all show samples of one type, and all figures but shares of another type than processor time.
fn check_types<'a>(
    mut all: impl Iterator<Item = &'a CaptureToCompare<'a>>,
    measure: Measure,
) -> Result<(), Refusal> {
    let Some(first) = all.next() else {
        return Ok(());
    };
    if let Some(other) = all.find(|given| type_of(given) != type_of(first)) {
        return Err(Refusal::OtherType {
            one: first.name.clone(),
            of_one: type_of(first).to_owned(),
            other: other.name.clone(),
            of_other: type_of(other).to_owned(),
        });
    }
    if measure != Measure::Share && type_of(first) != CPU.id {
        return Err(Refusal::SharesAlone {
            capture: first.name.clone(),
            of_type: type_of(first).to_owned(),
        });
    }
    Ok(())
}

/// Refuses captures unless all have counted the same work.
fn check_work<'a>(mut all: impl Iterator<Item = &'a CaptureToCompare<'a>>) -> Result<(), Refusal> {
    let name_of = |given: &CaptureToCompare<'_>| {
        let capture = || given.name.clone();
        match given.work() {
            None => Err(Refusal::NoWork { capture: capture() }),
            Some(Err(why)) => Err(Refusal::WorkNotUsed {
                capture: capture(),
                why,
            }),
            Some(Ok(work)) => Ok(work.name),
        }
    };
    let Some(first) = all.next() else {
        return Ok(());
    };
    let one = name_of(first)?;
    for given in all {
        let other = name_of(given)?;
        if other != one {
            return Err(Refusal::OtherWork { one, other });
        }
    }
    Ok(())
}

/// A side without busy samples, with the reason why its VM did nothing, where a capture has one.
fn no_samples(side: &Side<'_>) -> Refusal {
    let qualities = side.captures.iter().filter_map(|it| it.capture.quality());
    let gaps: Vec<SamplingGaps> = qualities.map(|quality| quality.gaps).collect();
    let reason = gaps.iter().rev().find_map(|gaps| gaps.standstill_reason);
    let halted = gaps.iter().filter(|gaps| gaps.standstill_reason == reason);
    let ms = halted.fold(0, |ms: u64, gaps| ms.saturating_add(gaps.standstill_ms));
    // At least that long, so the figure is not rounded up.
    let seconds = format!("{}.{}", ms / 1000, ms / 100 % 10);
    let side = side.name.clone();
    match reason {
        None => Refusal::NoSamples { side },
        Some(StandstillReason::Stopped) => Refusal::NoSamplesStopped { side, seconds },
        Some(StandstillReason::Traced) => Refusal::NoSamplesTraced { side, seconds },
        Some(StandstillReason::Frozen) => Refusal::NoSamplesFrozen { side, seconds },
    }
}

/// Refuses counted sides that have nothing in common; `anyway` makes that a remark.
pub fn check_counted(
    (base, of_base): (&Side<'_>, &SideCounts),
    (new, of_new): (&Side<'_>, &SideCounts),
    anyway: bool,
) -> Result<Option<Note>, Refusal> {
    for (side, counts) in [(base, of_base), (new, of_new)] {
        if counts.captures.iter().all(|capture| capture.busy <= 0.0) {
            return Err(no_samples(side));
        }
    }
    let has_erlang = |counts: &SideCounts| {
        let mut functions = counts.catalogue.iter();
        functions.any(|(_, known)| known.identity.is_erlang())
    };
    // Of a profile without Erlang functions, of C alone or of another language, any function will do.
    let share = match has_erlang(of_base) && has_erlang(of_new) {
        true => share_erlang(&of_base.catalogue, &of_new.catalogue),
        false => share_any(&of_base.catalogue, &of_new.catalogue),
    };
    if share {
        return Ok(None);
    }
    let (base, new) = (base.name.clone(), new.name.clone());
    if !anyway {
        return Err(Refusal::NothingInCommon { base, new });
    }
    Ok(Some(Note::of(NoteKind::NothingInCommon, &[&base, &new])))
}
