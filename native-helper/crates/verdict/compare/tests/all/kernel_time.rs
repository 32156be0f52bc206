//! Captures that have time in the kernel against captures that do not: their shares do not compare.
#![allow(missing_docs, clippy::unwrap_used)]

use crate::simulated::{Program, side};
use capture::kernel_time::KernelTime;
use capture::quality::QualityRecord;
use capture::reader::Capture;
use compare::{NoteKind, Options, Refusal, RefusalKind, compare};

const WITH: Option<KernelTime> = Some(KernelTime {
    sampled: true,
    cpu_ns: 0,
    missing_ns: 0,
});
const WITHOUT: Option<KernelTime> = Some(KernelTime {
    sampled: false,
    cpu_ns: 1_000,
    missing_ns: 645,
});

fn capture(kernel: Option<KernelTime>) -> Capture {
    let mut program = Program::ordinary();
    program.seconds = 2;
    let quality = QualityRecord {
        kernel,
        ..QualityRecord::default()
    };
    Capture::from_bytes(&program.capture_bytes_of(7, &quality)).unwrap()
}

fn notes(
    base: Option<KernelTime>,
    new: Option<KernelTime>,
    anyway: bool,
) -> Result<Vec<(NoteKind, String)>, Refusal> {
    let (base, new) = ([capture(base)], [capture(new)]);
    let options = Options {
        anyway,
        ..Options::default()
    };
    let compared = compare(&side("base", &base), &side("new", &new), &options)?;
    let kinds = [
        NoteKind::KernelTimeOnOneSide,
        NoteKind::KernelTimeUnknown,
        NoteKind::KernelTimeNotRecorded,
        NoteKind::NoKernelTime,
    ];
    let notes = compared.notes.into_iter();
    let notes = notes.filter(|note| kinds.contains(&note.kind));
    Ok(notes.map(|note| (note.kind, note.text)).collect())
}

#[test]
fn a_side_with_time_in_the_kernel_is_not_compared_with_one_without() {
    for (base, new) in [(WITH, WITHOUT), (WITHOUT, WITH)] {
        let refusal = notes(base, new, false).unwrap_err();
        assert_eq!(refusal.refused().kind, RefusalKind::KernelTime);
        assert!(refusal.to_string().contains("has time in the kernel"));
        let noted = notes(base, new, true).unwrap();
        assert_eq!(noted.len(), 1);
        let (kind, text) = &noted[0];
        assert_eq!(*kind, NoteKind::KernelTimeOnOneSide);
        assert!(text.contains("at least 64 %"), "{text}");
    }
}

#[test]
fn captures_of_one_side_are_held_against_each_other_too() {
    let (mixed, new) = ([capture(WITH), capture(WITHOUT)], [capture(WITH)]);
    let refused = compare(
        &side("base", &mixed),
        &side("new", &new),
        &Options::default(),
    );
    assert!(matches!(refused, Err(Refusal::KernelTime { .. })));
}

#[test]
fn captures_without_that_fact_are_compared_with_a_note() {
    assert_eq!(notes(None, None, false).unwrap(), []);
    let kind = |base, new| notes(base, new, false).unwrap()[0].0;
    assert_eq!(kind(None, WITHOUT), NoteKind::KernelTimeUnknown);
    assert_eq!(kind(WITHOUT, WITHOUT), NoteKind::NoKernelTime);
    for (base, new) in [(None, WITH), (WITH, None)] {
        let noted = notes(base, new, false).unwrap();
        assert_eq!(noted.len(), 1);
        let (kind, text) = &noted[0];
        assert_eq!(*kind, NoteKind::KernelTimeNotRecorded);
        assert!(text.contains("whether it has time in the kernel"), "{text}");
    }
}

#[test]
fn a_side_has_it_if_all_its_captures_do() {
    let kernel_time = |base: &[Option<KernelTime>], new: &[Option<KernelTime>]| {
        let captures = |side: &[Option<KernelTime>]| -> Vec<Capture> {
            side.iter().map(|kernel| capture(*kernel)).collect()
        };
        let (base, new) = (captures(base), captures(new));
        let options = Options {
            anyway: true,
            ..Options::default()
        };
        let compared = compare(&side("base", &base), &side("new", &new), &options).unwrap();
        [compared.base.kernel_time, compared.new.kernel_time]
    };
    let all = kernel_time(&[WITH, WITH], &[WITHOUT, WITHOUT]);
    assert_eq!(all, [Some(true), Some(false)]);
    let mixed = kernel_time(&[WITH, WITHOUT], &[WITH, None]);
    assert_eq!(mixed, [None, None]);
    assert_eq!(kernel_time(&[None], &[None, WITHOUT]), [None, None]);
}
