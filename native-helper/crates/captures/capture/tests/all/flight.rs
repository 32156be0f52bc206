//! A flight recorder: files of the time before and after a condition came to hold.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use crate::synthetic;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use capture::end::{CaptureEnd, FileEnd};
use capture::file::flight::{FlightNews, FlightPlan, FlightRecorder, MAX_HELD_BYTES};
use capture::pprof::NodeReading;
use capture::reader::Capture;
use capture::sample::{SampleClass, Trust};
use capture::sample_types::CPU;
use capture::trigger::Condition;
use capture::writer::CaptureWriter;

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("flight-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn plan(before_s: u64, after_s: u64, max_files: u32) -> FlightPlan {
    FlightPlan {
        condition: Condition::parse("mailbox>10").unwrap(),
        before: Duration::from_secs(before_s),
        after: Duration::from_secs(after_s),
        max_files,
        max_held_bytes: MAX_HELD_BYTES,
    }
}

/// An increment each second, with a sample in a function of its own and a reading of this mailbox, if it has one.
fn increments(mailboxes: &[Option<u64>]) -> Vec<Vec<u8>> {
    let mut writer = CaptureWriter::new(synthetic::target(), synthetic::settings());
    let labels = synthetic::labels_of(SampleClass::Erlang, Trust::Captured);
    let seconds = (0_u64..).zip(mailboxes);
    seconds
        .map(|(second, mailbox)| {
            let function = writer.intern_function(&synthetic::function(second));
            let place = writer.intern_location(function, 7);
            writer.add_sample(second * 1_000_000_000 + 1, &labels, &[place], 1);
            writer.add_node_reading(NodeReading {
                at_ms: second * 1000 + 500,
                run_queue: Some(0),
                largest_mailbox: *mailbox,
                largest_mailbox_pid: Some(83),
                ..NodeReading::default()
            });
            let now_ns = (second + 1) * 1_000_000_000;
            writer.take_increment(now_ns, &synthetic::quality(second + 1))
        })
        .collect()
}

/// The content of the files, and how many could not be written: (first and last second of samples,
/// note).
fn recorded(name: &str, plan: FlightPlan, mailboxes: &[Option<u64>]) -> Vec<(u64, u64, String)> {
    let folder = Folder::new(name);
    let mut recorder = FlightRecorder::create(&folder.0.join("shop.pb.gz"), plan).unwrap();
    for increment in increments(mailboxes) {
        recorder.add(increment).unwrap();
        if recorder.is_over() {
            break;
        }
    }
    let (files, failed) = recorder.finish(CaptureEnd::Stopped);
    assert_eq!(failed, 0);
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), files.len());
    let contents = files.iter().map(|file| {
        let bytes = fs::read(&file.path).unwrap();
        assert_eq!(bytes.len() as u64, file.bytes);
        let capture = Capture::from_bytes(&bytes).unwrap();
        let user = capture.user().unwrap();
        assert_eq!(user.tags, ["when"]);
        let began_s = (capture.started_unix_ns() - 1_700_000_000_000_000_000) / 1_000_000_000;
        assert_eq!(began_s as f64, file.from_s);
        let names: Vec<String> = capture
            .function_indices()
            .map(|index| capture.function(index).name.to_owned())
            .collect();
        let second_of = |name: &String| {
            (0..100)
                .find(|second| synthetic::function(*second).name == *name)
                .unwrap()
        };
        let seconds: Vec<u64> = names.iter().map(second_of).collect();
        assert_eq!(capture.total_samples() as usize, seconds.len());
        assert_eq!(capture.quality().unwrap().samples, capture.total_samples());
        assert_eq!(capture.node_readings().len(), seconds.len());
        assert_eq!(capture.node_readings()[0].at_ms, 500);
        let (first, last) = (seconds.iter().min().unwrap(), seconds.iter().max().unwrap());
        (*first, *last, user.note)
    });
    contents.collect()
}

#[test]
fn the_times_before_and_after_are_one_file_with_the_reason() {
    let mut mailboxes = [Some(0); 30];
    mailboxes[15] = Some(12);
    let [(first, last, note)] = &recorded("one", plan(5, 3, 10), &mailboxes)[..] else {
        panic!("not one file");
    };
    // The increment of second 15 ends at 16: five seconds before that, and the increments that end at 18.5 or
    // just behind it.
    assert_eq!((*first, *last), (10, 18));
    assert_eq!(
        note,
        "recorded when mailbox>10: mailbox 12 of <0.83.0>, 5.5 s after its beginning"
    );
}

#[test]
fn a_file_has_all_types_of_its_time() {
    let folder = Folder::new("types");
    let plan = plan(2, 1, 10);
    let mut recorder = FlightRecorder::create(&folder.0.join("shop.pb.gz"), plan).unwrap();
    for increment in synthetic::of_two_types(&[0, 0, 0, 0, 12, 0, 0, 0, 0]) {
        recorder.add(increment).unwrap();
    }
    let (files, failed) = recorder.finish(CaptureEnd::Stopped);
    assert_eq!((files.len(), failed), (1, 0));
    let capture = Capture::from_bytes(&fs::read(&files[0].path).unwrap()).unwrap();
    let began_s = (capture.started_unix_ns() - 1_700_000_000_000_000_000) / 1_000_000_000;
    let of_time = capture.samples_of(&CPU).iter();
    let seconds: Vec<u64> = of_time.map(|it| began_s + it.bucket_ms / 1_000).collect();
    assert!(seconds.contains(&4), "{seconds:?}");
    let blocked_ns = seconds.iter().map(|second| synthetic::blocked_ns(*second));
    // The block began before.
    let off_cpu = ("off-cpu".to_owned(), 0, blocked_ns.sum());
    assert_eq!(synthetic::sums_by_type(&capture)[1], off_cpu);
}

#[test]
fn it_has_to_end_before_it_comes_to_hold_again() {
    let mut mailboxes = [Some(0); 40];
    mailboxes[10..20].fill(Some(99));
    // Nothing is known of it for a while: it has not ended for that.
    mailboxes[14..16].fill(None);
    mailboxes[30] = Some(11);
    let files = recorded("again", plan(2, 2, 10), &mailboxes);
    let seconds: Vec<(u64, u64)> = files
        .iter()
        .map(|(first, last, _)| (*first, *last))
        .collect();
    assert_eq!(seconds, [(8, 12), (28, 32)]);
}

#[test]
fn nothing_is_written_while_it_does_not_hold_and_no_more_than_so_many_files() {
    assert!(recorded("none", plan(2, 2, 10), &[Some(10); 20]).is_empty());
    let mut often = [Some(0); 40];
    for second in [5, 15, 25, 35] {
        often[second] = Some(50);
    }
    assert_eq!(recorded("cap", plan(2, 2, 2), &often).len(), 2);
}

#[test]
fn what_is_being_written_is_complete_when_it_ends_early() {
    let mut mailboxes = [Some(0); 12];
    mailboxes[10] = Some(50);
    let files = recorded("early", plan(3, 60, 10), &mailboxes);
    assert_eq!((files[0].0, files[0].1), (7, 11));
}

#[test]
fn the_file_that_is_being_written_alone_states_that_sampling_ended_early() {
    let folder = Folder::new("cut");
    let mut recorder =
        FlightRecorder::create(&folder.0.join("shop.pb.gz"), plan(2, 2, 10)).unwrap();
    let mut mailboxes = [Some(0); 22];
    (mailboxes[5], mailboxes[20]) = (Some(50), Some(50));
    for increment in increments(&mailboxes) {
        recorder.add(increment).unwrap();
    }
    assert!(recorder.is_writing());
    recorder.end_early();
    let (files, _) = recorder.finish(CaptureEnd::SamplingEnded);
    let early = files.iter().map(|file| {
        let bytes = fs::read(&file.path).unwrap();
        assert_eq!(bytes.len() as u64, file.bytes);
        let quality = Capture::from_bytes(&bytes).unwrap().quality().unwrap();
        assert_eq!(quality, file.quality);
        assert!(quality.samples > 0);
        let end = Capture::from_bytes(&bytes).unwrap().file_end();
        assert_eq!(end, FileEnd::Closed(file.end));
        (quality.gaps.ended_early, end)
    });
    let [over, ended] = [CaptureEnd::Duration, CaptureEnd::SamplingEnded].map(FileEnd::Closed);
    assert_eq!(early.collect::<Vec<_>>(), [(false, over), (true, ended)]);
}

#[test]
fn a_folder_that_is_gone_costs_that_file_and_no_later_one() {
    let folder = Folder::new("gone");
    let mut recorder =
        FlightRecorder::create(&folder.0.join("shop.pb.gz"), plan(2, 2, 10)).unwrap();
    let mut mailboxes = [Some(0); 30];
    (mailboxes[5], mailboxes[20]) = (Some(50), Some(50));
    fs::remove_dir_all(&folder.0).unwrap();
    let mut news = Vec::new();
    for (second, increment) in increments(&mailboxes).into_iter().enumerate() {
        if second == 12 {
            fs::create_dir_all(&folder.0).unwrap();
        }
        news.extend(recorder.add(increment).unwrap());
    }
    let failed = news.iter().filter(|it| matches!(it, FlightNews::Failed(_)));
    assert_eq!(failed.count(), 1);
    let (files, failed) = recorder.finish(CaptureEnd::Stopped);
    assert_eq!((files.len(), failed), (1, 1));
    assert!(Capture::from_bytes(&fs::read(&files[0].path).unwrap()).is_ok());
}

#[test]
fn files_are_taken_once_and_only_when_complete() {
    let folder = Folder::new("taken");
    let mut recorder =
        FlightRecorder::create(&folder.0.join("shop.pb.gz"), plan(2, 2, 10)).unwrap();
    let mut mailboxes = [Some(0); 30];
    (mailboxes[5], mailboxes[20]) = (Some(50), Some(50));
    let mut taken = Vec::new();
    for increment in increments(&mailboxes) {
        recorder.add(increment).unwrap();
        for file in recorder.take_complete() {
            assert_eq!(fs::metadata(&file.path).unwrap().len(), file.bytes);
            taken.push(file);
        }
        assert_eq!(recorder.measured()[0].name, "mailbox");
    }
    let (files, _) = recorder.finish(CaptureEnd::Stopped);
    assert_eq!(files.len(), 2);
    assert_eq!(taken[..], files[..taken.len()]);
}

#[test]
fn what_is_held_is_bounded_and_what_is_over_it_is_left_out_of_the_file() {
    let mut mailboxes = [Some(0); 40];
    mailboxes[35] = Some(50);
    let one = increments(&mailboxes)[20].len() as u64;
    let plan = FlightPlan {
        max_held_bytes: one * 4,
        ..plan(1000, 2, 10)
    };
    let [(first, last, _)] = recorded("bounded", plan, &mailboxes)[..] else {
        panic!("not one file");
    };
    assert!((31..=35).contains(&first), "{first}");
    assert_eq!(last, 37);
}

#[test]
fn readings_without_a_value_are_counted_behind_the_first() {
    let folder = Folder::new("without");
    let plan = FlightPlan {
        condition: Condition::parse("mailbox>10 or rss>1").unwrap(),
        ..plan(2, 2, 10)
    };
    let mut recorder = FlightRecorder::create(&folder.0.join("shop.pb.gz"), plan).unwrap();
    let mut mailboxes = [None; 40];
    mailboxes[30] = Some(5);
    for increment in increments(&mailboxes) {
        recorder.add(increment).unwrap();
    }
    assert_eq!(recorder.readings(), 39);
    assert_eq!(recorder.without_value(), [("mailbox", 29), ("rss", 39)]);
    let at_end: Vec<bool> = recorder
        .measured()
        .iter()
        .map(|it| it.value.is_some())
        .collect();
    assert_eq!(at_end, [true, false], "a level stays");
}

#[test]
fn a_quantity_that_a_vm_never_has_is_reported_once() {
    let folder = Folder::new("unknown");
    let plan = FlightPlan {
        condition: Condition::parse("rss>1 or mailbox>10").unwrap(),
        ..plan(2, 2, 10)
    };
    let mut recorder = FlightRecorder::create(&folder.0.join("shop.pb.gz"), plan).unwrap();
    let mut news = Vec::new();
    for increment in increments(&[Some(0); 40]) {
        news.extend(recorder.add(increment).unwrap());
    }
    let [FlightNews::Unknown(what)] = &news[..] else {
        panic!("{news:?}");
    };
    assert_eq!(what, &["rss"]);
    assert!(recorder.add(vec![1, 2, 3]).is_err());
}
