//! Folders as a recorder leaves them, as a killed one does, and as a hostile user would.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use capture::quality::StandstillReason;
use diagnose::refusal::Refusal;
use protocol::detached::{DetachedEnd, DetachedState};
use protocol::pstack::HaltedTime;
use protocol::recording::EngineName;

use super::listing::{Detached, list_in};
use super::recorder::{Beginning, Counted, Recorder, bounded_duration};
use super::*;

const SOMEBODY: u32 = 4711;

/// A folder of this test, removed at its end.
struct Room(PathBuf);

impl Room {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("detached-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn recorder(&self, called: &str) -> Recorder {
        let mut recorder = Recorder::create_in(&self.0, name(called)).unwrap();
        fs::write(recorder.capture_path(), b"capture").unwrap();
        recorder.begun(beginning()).unwrap();
        recorder
    }

    fn one(&self, called: &str) -> Detached {
        Detached::open_in(&self.0, name(called)).unwrap()
    }

    fn states(&self) -> Vec<(String, DetachedState)> {
        let rows = list_in(&self.0).unwrap();
        rows.into_iter().map(|row| (row.name, row.state)).collect()
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn name(text: &str) -> DetachedName {
    text.parse().unwrap()
}

fn beginning() -> Beginning {
    Beginning {
        target_pid: 42,
        node: "shop@a".to_owned(),
        frequency_hz: 99,
        duration_s: 0.0,
        engine: EngineName::Bpf,
    }
}

fn samples(count: u64) -> Counted {
    Counted {
        samples: Some(count),
        blocks: None,
        fault_samples: None,
    }
}

/// The code of the message, whose words change.
fn code_of(refusal: &Refusal) -> &str {
    &refusal.explanation.actionable.messages["what"].code
}

#[test]
fn one_is_starting_then_records_and_has_its_end() {
    let room = Room::new("life");
    let mut recorder = Recorder::create_in(&room.0, name("night")).unwrap();
    assert_eq!(
        room.states(),
        [("night".to_owned(), DetachedState::Starting)]
    );
    fs::write(recorder.capture_path(), b"capture").unwrap();
    recorder.begun(beginning()).unwrap();
    let row = room.one("night").row().unwrap();
    assert_eq!((row.state, row.file_bytes), (DetachedState::Recording, 7));
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&room.0.join("night")), 0o700);
    assert_eq!(mode(&room.0.join("night/facts.json")), 0o600);
    let counted = || {
        let facts = room.one("night").row().unwrap().facts.unwrap();
        (facts.samples, facts.blocks)
    };
    assert_eq!(counted(), (None, None), "none was counted yet");
    recorder.sampled(samples(0));
    assert_eq!(counted(), (None, None));
    recorder.sampled(samples(7));
    assert_eq!(counted(), (Some(7), None));
    recorder.ended(DetachedEnd::TargetGone, None, Some(samples(12)), None);
    let row = room.one("night").row().unwrap();
    let facts = row.facts.unwrap();
    assert_eq!(row.state, DetachedState::Ended);
    assert_eq!(
        (facts.end, facts.samples),
        (Some(DetachedEnd::TargetGone), Some(12))
    );
    assert_eq!(
        (facts.node.as_str(), facts.duration_seconds),
        ("shop@a", 86_400.0)
    );
    room.one("night").remove().unwrap();
    assert!(room.states().is_empty());
}

#[test]
fn one_that_fails_keeps_the_samples_that_were_counted() {
    let room = Room::new("counted");
    let mut recorder = room.recorder("night");
    recorder.sampled(samples(7));
    recorder.ended(DetachedEnd::Failed, None, None, None);
    let facts = room.one("night").row().unwrap().facts.unwrap();
    assert_eq!(
        (facts.end, facts.samples),
        (Some(DetachedEnd::Failed), Some(7))
    );
}

#[test]
fn one_of_a_halted_vm_keeps_the_reason_for_its_lack_of_samples() {
    let room = Room::new("halted");
    let recorder = room.recorder("night");
    let facts = || room.one("night").row().unwrap().facts.unwrap();
    assert_eq!(facts().halted, None);
    let halted = HaltedTime {
        reason: StandstillReason::Stopped,
        ms: 2100,
    };
    recorder.ended(DetachedEnd::Duration, None, Some(samples(0)), Some(halted));
    assert_eq!((facts().samples, facts().halted), (Some(0), Some(halted)));
    assert_eq!(
        facts().halted.and_then(HaltedTime::clause).as_deref(),
        Some("the VM did not run for at least 2.1 s (a signal had stopped it)")
    );
}

#[test]
fn blocks_are_no_samples() {
    let room = Room::new("blocks");
    let counted = |called: &str| {
        let facts = room.one(called).row().unwrap().facts.unwrap();
        (facts.samples, facts.blocks)
    };
    let mut alone = room.recorder("alone");
    let blocks = Counted {
        samples: None,
        blocks: Some(4_210),
        fault_samples: None,
    };
    alone.sampled(blocks);
    assert_eq!(counted("alone"), (None, Some(4_210)));
    let mut both = room.recorder("both");
    both.sampled(Counted {
        samples: Some(0),
        ..blocks
    });
    assert_eq!(counted("both"), (Some(0), Some(4_210)));
    let at_end = Counted {
        samples: Some(9),
        blocks: Some(5_000),
        fault_samples: Some(3),
    };
    both.ended(DetachedEnd::Stopped, None, Some(at_end), None);
    assert_eq!(counted("both"), (Some(9), Some(5_000)));
    let facts = room.one("both").row().unwrap().facts.unwrap();
    assert_eq!(facts.fault_samples, Some(3));
    let mut of_faults = room.recorder("faults");
    of_faults.sampled(Counted {
        fault_samples: Some(3),
        ..Counted::default()
    });
    let facts = room.one("faults").row().unwrap().facts.unwrap();
    assert_eq!((facts.samples, facts.fault_samples), (None, Some(3)));
}

#[test]
fn a_name_is_taken_by_whatever_has_it() {
    let room = Room::new("taken");
    let _recorder = room.recorder("night");
    fs::write(room.0.join("file"), b"").unwrap();
    symlink("/nowhere", room.0.join("link")).unwrap();
    for taken in ["night", "file", "link"] {
        let refusal = Recorder::create_in(&room.0, name(taken)).unwrap_err();
        assert_eq!(code_of(&refusal), "detachedNameTaken", "{taken}");
    }
}

#[test]
fn it_ends_by_a_file_and_whoever_wants_that_waits_for_it() {
    let room = Room::new("stop");
    let mut recorder = room.recorder("night");
    let refusal = room.one("night").remove().unwrap_err();
    assert_eq!(code_of(&refusal), "detachedGoesOn");
    let recording = std::thread::spawn(move || {
        let begun = Instant::now();
        while !recorder.is_stop_requested() {
            assert!(
                begun.elapsed() < Duration::from_secs(300),
                "nobody stopped it"
            );
            std::thread::sleep(Duration::from_millis(10));
        }
        recorder.ended(DetachedEnd::Stopped, None, Some(samples(1)), None);
    });
    let row = room.one("night").stop(&|| false).unwrap();
    assert_eq!(row.facts.unwrap().end, Some(DetachedEnd::Stopped));
    recording.join().unwrap();
    // Once more is no mistake.
    assert_eq!(
        room.one("night").stop(&|| false).unwrap().state,
        DetachedState::Ended
    );
}

#[test]
fn one_that_does_not_end_is_waited_for_no_longer_than_wanted() {
    let room = Room::new("deaf");
    let _recorder = room.recorder("night");
    assert!(room.one("night").stop(&|| true).is_err());
}

#[test]
fn what_was_killed_has_ended_whoever_has_its_process_id_now() {
    let room = Room::new("killed");
    // The lock goes with the process: this is a process that has ended, with our process id in its facts.
    drop(room.recorder("night"));
    let row = room.one("night").row().unwrap();
    assert_eq!(row.state, DetachedState::EndedUnexpectedly);
    assert_eq!(row.facts.unwrap().recorder_pid, std::process::id());
    assert_eq!(row.file_bytes, 7);
    assert!(room.one("night").capture().is_ok());
    // A recorder that was killed before it had written any facts.
    drop(Recorder::create_in(&room.0, name("young")).unwrap());
    fs::remove_file(room.0.join("young/lock")).unwrap();
    let row = room.one("young").row().unwrap();
    assert_eq!(
        (row.state, row.facts),
        (DetachedState::EndedUnexpectedly, None)
    );
    for each in ["night", "young"] {
        room.one(each).remove().unwrap();
    }
    assert!(room.states().is_empty());
}

#[test]
fn what_is_no_capture_of_ours_is_not_listed() {
    let room = Room::new("strange");
    let elsewhere = room.0.join("elsewhere.d");
    fs::create_dir(&elsewhere).unwrap();
    fs::write(elsewhere.join("facts.json"), b"{}").unwrap();
    let parent = room.0.join("detached");
    fs::create_dir(&parent).unwrap();
    symlink(&elsewhere, parent.join("link")).unwrap();
    fs::write(parent.join("file"), b"").unwrap();
    fs::create_dir(parent.join(".hidden")).unwrap();
    fs::create_dir(parent.join("a name\u{1b}[2J")).unwrap();
    fs::create_dir(parent.join("theirs")).unwrap();
    // Only root may give something away; without it the others have to do.
    if chown(parent.join("theirs"), Some(SOMEBODY), None).is_err() {
        fs::remove_dir(parent.join("theirs")).unwrap();
    }
    assert!(list_in(&parent).unwrap().is_empty());
    for each in ["link", "file", "theirs", "nothing"] {
        assert!(Detached::open_in(&parent, name(each)).is_err(), "{each}");
    }
}

#[test]
fn facts_that_are_garbage_too_long_or_lead_elsewhere_are_ignored() {
    let room = Room::new("garbage");
    drop(room.recorder("night"));
    let facts = room.0.join("night/facts.json");
    let good = fs::read_to_string(&facts).unwrap();
    let absurd = good.replace(
        r#""begunUnixMs":"#,
        r#""begunUnixMs":18446744073709551615,"was":"#,
    );
    for bad in [
        "",
        "{",
        "[]",
        "null",
        "\0",
        &"[".repeat(10_000),
        &format!("{good}{}", " ".repeat(20_000)),
    ] {
        fs::write(&facts, bad).unwrap();
        let row = room.one("night").row().unwrap();
        assert_eq!(
            (row.state, row.facts),
            (DetachedState::EndedUnexpectedly, None)
        );
    }
    fs::write(&facts, absurd).unwrap();
    let row = room.one("night").row().unwrap();
    assert_eq!(row.facts.unwrap().begun_unix_ms, 8_640_000_000_000_000);
    fs::remove_file(&facts).unwrap();
    let outside = room.0.join("outside.json");
    fs::write(&outside, &good).unwrap();
    symlink(&outside, &facts).unwrap();
    assert_eq!(room.one("night").row().unwrap().facts, None);
}

#[test]
fn a_capture_that_is_a_link_a_pipe_or_a_folder_is_not_read_and_a_link_is_removed_not_what_it_leads_to()
 {
    let room = Room::new("planted");
    drop(room.recorder("night"));
    let capture = room.0.join("night/capture.pb.gz");
    let secret = room.0.join("secret");
    fs::write(&secret, b"secret").unwrap();
    fs::remove_file(&capture).unwrap();
    assert!(
        Command::new("mkfifo")
            .arg(&capture)
            .status()
            .unwrap()
            .success()
    );
    assert!(room.one("night").capture().is_err());
    fs::remove_file(&capture).unwrap();
    symlink(&secret, &capture).unwrap();
    assert!(room.one("night").capture().is_err());
    assert_eq!(room.one("night").row().unwrap().file_bytes, 0);
    room.one("night").remove().unwrap();
    assert_eq!(fs::read(&secret).unwrap(), b"secret");
    assert!(!room.0.join("night").exists());
}

#[test]
fn a_folder_with_a_folder_in_it_stays() {
    let room = Room::new("deep");
    drop(room.recorder("night"));
    fs::create_dir(room.0.join("night/mine")).unwrap();
    fs::write(room.0.join("night/mine/precious"), b"").unwrap();
    assert!(room.one("night").remove().is_err());
    assert!(room.0.join("night/mine/precious").exists());
}

#[test]
fn a_part_of_a_file_ends_where_the_file_does() {
    let room = Room::new("part");
    drop(room.recorder("night"));
    let part = |from, most| read_part(room.one("night").capture().unwrap(), from, most).unwrap();
    assert_eq!(part(0, 3).bytes, b"cap");
    assert_eq!(part(5, u64::MAX).bytes, b"re");
    assert_eq!(part(u64::MAX, 5).bytes, b"");
    assert_eq!(part(7, 1).file_bytes, 7);
}

#[test]
fn none_goes_on_for_ever() {
    assert_eq!(bounded_duration(0.0), 86_400.0);
    assert_eq!(bounded_duration(1.5), 1.5);
    assert_eq!(bounded_duration(1e9), 86_400.0);
}
