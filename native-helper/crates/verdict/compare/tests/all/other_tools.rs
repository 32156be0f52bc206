//! Real captures against their own exports: nothing has changed.
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic)]

use std::path::Path;

use crate::simulated::side;
use capture::export::folded::{Places, write_folded};
use capture::export::speedscope::write_speedscope;
use capture::reader::Capture;
use compare::{Answer, Condition, NoteKind, Options, Reason, Unmatched, compare};
use foreign_profiles::{Limits, convert};

fn recorded(number: u32) -> Vec<u8> {
    let folder = Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap()).join("tests/recorded");
    std::fs::read(folder.join(format!("run-{number:02}.pb.gz"))).unwrap()
}

fn imported(bytes: &[u8]) -> Capture {
    let imported = convert(bytes, &Limits::default()).unwrap();
    Capture::from_bytes(&imported.expect("a profile of another tool").message).unwrap()
}

fn folded(capture: &Capture, places: Places) -> Capture {
    let mut bytes = Vec::new();
    write_folded(capture, places, &mut bytes).unwrap();
    imported(&bytes)
}

fn speedscope(capture: &Capture) -> Capture {
    let mut bytes = Vec::new();
    write_speedscope(capture, "recorded", &mut bytes).unwrap();
    imported(&bytes)
}

#[test]
fn a_capture_equals_its_own_export() {
    for number in [0, 7] {
        let bytes = recorded(number);
        let capture = Capture::from_bytes(&bytes).unwrap();
        let exports = [
            folded(&capture, Places::Without),
            folded(&capture, Places::FileAndLine),
            speedscope(&capture),
        ];
        let capture = [capture];
        for export in exports {
            let export = [export];
            let (capture, export) = (side("capture", &capture), side("export", &export));
            for (base, new) in [(&capture, &export), (&export, &capture)] {
                let comparison = compare(base, new, &Options::default()).unwrap();
                for row in &comparison.functions {
                    assert!(row.columns().all(|it| !it.verdict.is_change()), "{row:#?}");
                    // Functions called the same in two objects, like `clock_gettime`.
                    if row.unmatched != Some(Unmatched::NotToldApart) {
                        let (itself, total) = (&row.itself, &row.total);
                        assert_eq!(itself.base_samples, itself.new_samples, "{row:#?}");
                        // An export has a frame where a capture has no stack.
                        let is_frame = row.function != "[no stack]";
                        let is_same = total.base_samples == total.new_samples;
                        assert!(is_same || !is_frame, "{row:#?}");
                    }
                }
                let of_all = comparison.functions.iter();
                let unmatched = of_all.filter(|row| row.unmatched.is_some()).count();
                assert!(unmatched * 20 < comparison.functions.len(), "{unmatched}");
                let kinds: Vec<_> = comparison.notes.iter().map(|note| note.kind).collect();
                assert!(kinds.contains(&NoteKind::OtherTool), "{kinds:?}");
                assert!(!kinds.contains(&NoteKind::Kernel), "{kinds:?}");
                assert!(comparison.classes.is_empty() && comparison.blame.is_empty());
                // A second of an export may be one of processor time.
                assert_eq!(comparison.whole, None);
                let condition: Condition = "self.slower>1000%".parse().unwrap();
                let gate = condition.judge(&comparison, None).unwrap();
                assert_eq!(gate.answer, Answer::CannotTell, "{}", gate.text());
                assert_eq!(gate.doubts[0].reason, Reason::UnlikeSides);
            }
        }
    }
}

#[test]
fn exports_of_one_tool_are_no_others() {
    let capture = Capture::from_bytes(&recorded(0)).unwrap();
    let export = [folded(&capture, Places::Without)];
    let comparison = compare(
        &side("one", &export),
        &side("other", &export),
        &Options::default(),
    )
    .unwrap();
    let mut notes = comparison.notes.iter();
    assert!(notes.all(|note| note.kind != NoteKind::OtherTool));
}
