//! The facts in a capture about commit, machine and user: the last comment counts, also one that was
//! appended.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

use crate::synthetic;
use std::collections::BTreeMap;
use std::io::Write;

use capture::end::CaptureEnd;
use capture::facts::{
    BuildFacts, BusyProcess, HostFacts, ORIGIN_COMMENT, OriginFacts, USER_COMMENT, UserFacts,
    WAITS_COMMENT, WORK_COMMENT, WorkFacts,
};
use capture::file::{AppendError, CaptureFile, IfExists, append_origin};
use capture::pprof::{Profile, ValueType};
use capture::reader::Capture;
use capture::work::{NotCounted, work_done};
use capture::writer::CaptureWriter;
use flate2::Compression;
use flate2::write::GzEncoder;
use prost::Message;

const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

fn origin(sources: &[(&str, &str)]) -> OriginFacts {
    let pair = |&(path, hash): &(&str, &str)| (path.to_owned(), hash.to_owned());
    OriginFacts {
        repository: "https://host/shop.git".into(),
        commit: COMMIT.into(),
        branch: "main".into(),
        dirty: true,
        describe: "v1.2-3-g0123456".into(),
        sources: sources.iter().map(pair).collect::<BTreeMap<_, _>>(),
        assigned: false,
    }
}

fn host(busy: &[(&str, f64)]) -> HostFacts {
    let process = |&(name, cpu_pct): &(&str, f64)| BusyProcess {
        name: name.to_owned(),
        cpu_pct,
    };
    HostFacts {
        cpu_model: "A CPU".into(),
        governor: "performance".into(),
        cpus: 2,
        mhz: Some([2_500, 2_400, 2_600]),
        load: Some(0.5),
        busy: busy.iter().map(process).collect(),
    }
}

fn work(at_end: Option<f64>) -> WorkFacts {
    WorkFacts {
        name: "orders".into(),
        at_start: 100.25,
        start_unix_ms: 1_700_000_000_000,
        at_end,
        end_unix_ms: at_end.map_or(0, |_| 1_700_000_010_000),
        problem: String::new(),
    }
}

/// A capture that knows its commit at the start, and sources and busy processes at the end.
fn increments() -> Vec<Vec<u8>> {
    let mut writer = CaptureWriter::new(synthetic::target(), synthetic::settings());
    writer.set_origin(origin(&[]));
    writer.set_host(host(&[]));
    writer.set_work(work(None));
    let mut increments = vec![writer.take_increment(1, &synthetic::quality(0))];
    increments.push(writer.take_increment(2, &synthetic::quality(1)));
    writer.set_origin(origin(&[("src/shop.erl", COMMIT)]));
    writer.set_host(host(&[("rebar3", 93.5)]));
    writer.set_work(work(Some(350.5)));
    increments.push(writer.take_increment(3, &synthetic::quality(2)));
    increments
}

/// A gzip member that adds a comment to a capture, as the extension appends one.
fn comment_member(file: &[u8], comment: String) -> Vec<u8> {
    let mut message = Vec::new();
    std::io::copy(&mut flate2::read::MultiGzDecoder::new(file), &mut message).unwrap();
    let index = Profile::decode(&message[..]).unwrap().string_table.len();
    let added = Profile {
        string_table: vec![comment],
        comment: vec![index as i64],
        ..Profile::default()
    };
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(&added.encode_to_vec()).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn what_is_known_at_the_start_is_there_from_the_start_and_the_last_word_counts() {
    let increments = increments();
    let cut = Capture::from_bytes(&increments[0]).unwrap();
    assert_eq!(cut.origin(), Some(origin(&[])));
    assert_eq!(cut.host(), Some(host(&[])));
    assert_eq!(cut.user(), None);
    assert_eq!(cut.work(), Some(work(None)));
    assert!(matches!(
        work_done(&cut),
        Some(Err(NotCounted::NoEnd { .. }))
    ));
    let whole = Capture::from_bytes(&increments.concat()).unwrap();
    assert_eq!(whole.origin(), Some(origin(&[("src/shop.erl", COMMIT)])));
    assert_eq!(whole.host(), Some(host(&[("rebar3", 93.5)])));
    assert_eq!(whole.work(), Some(work(Some(350.5))));
    // It is written when it changes, not with every increment.
    let comments = whole
        .comments()
        .filter(|text| text.starts_with(ORIGIN_COMMENT));
    assert_eq!(comments.count(), 2);
}

#[test]
fn compacting_keeps_the_last_word_alone_and_appending_replaces_it() {
    let folder = std::env::temp_dir().join(format!("capture-facts-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("a.pb.gz");
    let mut file = CaptureFile::create(&path, IfExists::Refuse).unwrap();
    for increment in increments() {
        file.append(&increment).unwrap();
    }
    file.compact().unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    let compacted = Capture::from_bytes(&bytes).unwrap();
    assert_eq!(
        compacted.origin(),
        Some(origin(&[("src/shop.erl", COMMIT)]))
    );
    let comments = compacted
        .comments()
        .filter(|text| text.starts_with(ORIGIN_COMMENT) || text.starts_with(WORK_COMMENT));
    assert_eq!(comments.count(), 2);
    assert_eq!(compacted.work(), Some(work(Some(350.5))));

    let assigned = OriginFacts {
        commit: "f".repeat(40),
        assigned: true,
        ..OriginFacts::default()
    };
    let user = UserFacts {
        note: "before\nthe change".into(),
        tags: vec!["slow".into(), "größer".into()],
        pinned: true,
    };
    for comment in [
        format!(
            "{ORIGIN_COMMENT}{}",
            serde_json::to_string(&assigned).unwrap()
        ),
        format!(
            "{USER_COMMENT}{}",
            serde_json::to_string(&UserFacts::default()).unwrap()
        ),
        format!("{USER_COMMENT}{}", serde_json::to_string(&user).unwrap()),
        // A comment that makes no sense is passed over, as are those of other programs.
        format!("{USER_COMMENT}{{"),
    ] {
        let member = comment_member(&bytes, comment);
        bytes.extend(member);
    }
    let capture = Capture::from_bytes(&bytes).unwrap();
    assert_eq!(capture.origin(), Some(assigned));
    assert_eq!(capture.user(), Some(user));
    assert_eq!(capture.host(), Some(host(&[("rebar3", 93.5)])));
    assert_eq!(capture.quality(), compacted.quality());
    assert_eq!(capture.samples(), compacted.samples());
}

#[test]
fn facts_of_another_version_are_read_as_far_as_they_go() {
    let writer = &mut CaptureWriter::new(synthetic::target(), synthetic::settings());
    let mut bytes = writer.take_increment(1, &synthetic::quality(0));
    let newer = format!("{ORIGIN_COMMENT}{{\"commit\":\"{COMMIT}\",\"later\":[1]}}");
    bytes.extend(comment_member(&bytes, newer));
    let capture = Capture::from_bytes(&bytes).unwrap();
    let expected = OriginFacts {
        commit: COMMIT.into(),
        ..OriginFacts::default()
    };
    assert_eq!(capture.origin(), Some(expected));
}

fn build(modules: &[(&str, &str)]) -> BuildFacts {
    let pair = |&(name, md5): &(&str, &str)| (name.to_owned(), md5.to_owned());
    BuildFacts {
        release: "shop".into(),
        version: "1.2.3".into(),
        modules: modules.iter().map(pair).collect(),
        ..BuildFacts::default()
    }
}

#[test]
fn the_last_facts_of_the_build_count_and_those_without_a_writer_are_left_out() {
    let md5 = "0123456789abcdef0123456789abcdef";
    let mut writer = CaptureWriter::new(synthetic::target(), synthetic::settings());
    writer.set_build(build(&[]));
    let first = writer.take_increment(0, &Default::default());
    let long = "x".repeat(2000);
    writer.set_build(BuildFacts {
        libraries: [("a\n".to_owned(), "1".to_owned())].into(),
        replaced: ["gone".to_owned()].into(),
        ..build(&[("shop", md5), ("cart", "no checksum"), (&long, md5)])
    });
    let second = writer.take_increment(1, &Default::default());
    let capture = Capture::from_bytes(&[first, second].concat()).unwrap();
    assert_eq!(capture.build().unwrap(), build(&[("shop", md5)]));
}

#[test]
fn the_quality_of_a_capture_that_ended_early_takes_the_place_of_that_of_its_last_increment() {
    let folder = std::env::temp_dir().join(format!("append-quality-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("a.pb.gz");
    let mut writer = CaptureWriter::new(synthetic::target(), synthetic::settings());
    let mut file = CaptureFile::create(&path, IfExists::Overwrite).unwrap();
    let mut quality = synthetic::quality(9);
    file.append(&writer.take_increment(1, &quality)).unwrap();
    file.end_early(&mut quality).unwrap();
    file.mark_end(CaptureEnd::SamplingEnded).unwrap();
    assert!(quality.gaps.ended_early);
    let length = file.len_bytes();
    assert_eq!(length, std::fs::metadata(&path).unwrap().len());
    let read = || Capture::from_bytes(&std::fs::read(&path).unwrap()).unwrap();
    assert_eq!(read().quality().unwrap(), quality);
    assert_eq!(read().origin(), None);
    file.compact().unwrap();
    assert_eq!(read().quality().unwrap(), quality);
    let mut empty = CaptureFile::create(&path, IfExists::Overwrite).unwrap();
    assert!(
        empty.end_early(&mut quality).is_err(),
        "it is no capture yet"
    );
    assert_eq!(std::fs::metadata(&path).unwrap().len(), 0);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_commit_is_added_to_a_file_and_a_cut_one_takes_nothing() {
    let folder = std::env::temp_dir().join(format!("append-origin-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("a.pb.gz");
    let mut writer = CaptureWriter::new(synthetic::target(), synthetic::settings());
    let mut file = CaptureFile::create(&path, IfExists::Overwrite).unwrap();
    file.append(&writer.take_increment(0, &Default::default()))
        .unwrap();
    file.append(&writer.take_increment(1, &Default::default()))
        .unwrap();
    let before = std::fs::read(&path).unwrap();
    for commit in [COMMIT.replace('0', "9"), COMMIT.to_owned()] {
        append_origin(
            &path,
            &OriginFacts {
                commit,
                ..origin(&[])
            },
        )
        .unwrap();
    }
    let after = std::fs::read(&path).unwrap();
    assert!(after.starts_with(&before));
    assert_eq!(
        Capture::from_bytes(&after).unwrap().origin().unwrap(),
        origin(&[])
    );
    for (bytes, is_cut) in [
        (&after[..after.len() - 9], true),
        (&b"no capture of anything"[..], false),
        (&b""[..], true),
    ] {
        std::fs::write(&path, bytes).unwrap();
        let error = append_origin(&path, &origin(&[])).unwrap_err();
        assert_eq!(matches!(error, AppendError::Cut), is_cut, "{error}");
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_quota_that_throttled_the_vm_during_a_watch_of_its_waits_is_above_the_figures() {
    let headings = |json: &str| {
        let profile = Profile {
            sample_type: vec![ValueType { r#type: 1, unit: 2 }],
            string_table: vec![
                String::new(),
                "waiting".to_owned(),
                "microseconds".to_owned(),
                format!("{WAITS_COMMENT}{json}"),
            ],
            comment: vec![3],
            ..Profile::default()
        };
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(&profile.encode_to_vec()).unwrap();
        let capture = Capture::from_bytes(&encoder.finish().unwrap()).unwrap();
        assert_eq!(capture.headings(), capture.headings_above_line());
        capture.headings()
    };
    let limits = |throttled| {
        format!(
            r#"{{"otp":"27","graph":{{}},"processors":{{"groups_known":true,"whole_tree":true,"allowed":0.3,"periods":20,
                "throttled_periods":{throttled},"throttled_ms":1400}}}}"#
        )
    };
    assert_eq!(
        headings(&limits(12)),
        ["its control group's quota throttled the VM in 12 of 20 periods, for 1.4 s"]
    );
    for quiet in [
        limits(0),
        r#"{"otp":"27"}"#.to_owned(),
        "no JSON".to_owned(),
    ] {
        assert_eq!(headings(&quiet), [""; 0], "{quiet}");
    }
}
