//! A capture without an end in segments: each opens by itself, and together they have the same
//! content as the capture.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use crate::synthetic;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::synthetic::{Random, night_or_day};
use capture::end::{CaptureEnd, FileEnd};
use capture::facts::{BusyProcess, HostFacts, OriginFacts};
use capture::faults::FaultsQuality;
use capture::file::kept::{Keep, KeptFiles};
use capture::off_cpu::OffCpuQuality;
use capture::quality::QualityRecord;
use capture::reader::Capture;
use capture::rotation::Segments;
use capture::sample::{OffCpuWhy, SampleClass, SampleLabels, Trust};
use capture::sample_types::{FAULTS, OFF_CPU, TypeSet};
use capture::writer::CaptureWriter;

struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("rotation-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// Names and sizes.
    fn files(&self) -> Vec<(String, u64)> {
        let entries = fs::read_dir(&self.0).unwrap().flatten();
        let mut files: Vec<_> = entries
            .filter_map(|it| {
                Some((
                    it.file_name().into_string().ok()?,
                    it.metadata().ok()?.len(),
                ))
            })
            .collect();
        files.sort();
        files
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Count and CPU time by time (since 1970), labels and stack.
fn totals(capture: &Capture) -> BTreeMap<String, (u64, u64)> {
    let mut totals = BTreeMap::new();
    for sample in capture.samples() {
        let frames: Vec<_> = capture
            .frames(sample.stack)
            .map(|it| (capture.function(it.function), it.line))
            .collect();
        let at_ms = capture.started_unix_ns() / 1_000_000 + sample.bucket_ms;
        let labels = capture.labels(sample.labels);
        let entry = totals
            .entry(format!("{at_ms} {labels:?} {frames:?}"))
            .or_insert((0, 0));
        *entry = (entry.0 + sample.count, entry.1 + sample.value);
    }
    totals
}

fn whole(members: &[Vec<u8>]) -> Capture {
    let mut capture = Capture::empty();
    for member in members {
        capture.extend(member).unwrap();
    }
    capture
}

/// The segments of a capture, a new one after each `each` increments.
fn segments(members: &[Vec<u8>], each: usize) -> Vec<Vec<u8>> {
    let mut segments = Segments::default();
    let mut files: Vec<Vec<u8>> = Vec::new();
    for (index, member) in members.iter().enumerate() {
        if index % each == 0 {
            segments.begin_next();
            files.push(Vec::new());
        }
        let part = segments.add(member).unwrap();
        files.last_mut().unwrap().extend(part.member);
    }
    files
}

#[test]
fn segments_have_together_what_the_capture_has() {
    let members = synthetic::increments(5, 20, 300, 60);
    let all = whole(&members);
    let mut together = BTreeMap::new();
    let mut samples = 0;
    let mut ends_unix_ns = all.started_unix_ns();
    for file in segments(&members, 3) {
        let segment = Capture::from_bytes(&file).unwrap();
        assert!(!segment.truncated());
        assert_eq!(segment.target(), all.target());
        assert_eq!(segment.period_ns(), all.period_ns());
        assert_eq!(
            segment.started_unix_ns(),
            ends_unix_ns,
            "one after the other"
        );
        assert_eq!(
            segment.settings().unwrap().started_unix_ns,
            segment.started_unix_ns()
        );
        ends_unix_ns += segment.duration_ns();
        let quality = segment.quality().unwrap();
        assert_eq!(quality.samples, segment.total_samples());
        samples += quality.samples;
        for (what, (count, cpu_ns)) in totals(&segment) {
            let entry = together.entry(what).or_insert((0, 0));
            *entry = (entry.0 + count, entry.1 + cpu_ns);
        }
    }
    assert_eq!(samples, all.quality().unwrap().samples);
    assert_eq!(ends_unix_ns - all.started_unix_ns(), all.duration_ns());
    assert_eq!(together, totals(&all));
}

/// Increments in one file or in several: names and sums of all types.
fn added(captures: &[Capture]) -> Vec<(String, u64, u64)> {
    let mut sums = synthetic::sums_by_type(&captures[0]);
    for capture in &captures[1..] {
        for (sum, (name, count, value)) in sums.iter_mut().zip(synthetic::sums_by_type(capture)) {
            assert_eq!(sum.0, name);
            (sum.1, sum.2) = (sum.1 + count, sum.2 + value);
        }
    }
    sums
}

#[test]
fn segments_have_all_types_and_each_its_part_of_a_block_that_goes_on() {
    let members = synthetic::of_two_types(&[0; 6]);
    let all = whole(&members);
    let sums = synthetic::sums_by_type(&all);
    let blocked_ns: u64 = (0..6).map(synthetic::blocked_ns).sum();
    assert_eq!(sums[0].0, "cpu");
    assert_eq!(sums[1], ("off-cpu".to_owned(), 1, blocked_ns));
    let segments = segments(&members, 2);
    let segments = segments.iter().map(|file| Capture::from_bytes(file));
    let segments: Vec<Capture> = segments.map(Result::unwrap).collect();
    assert_eq!(added(&segments), sums);
    let of_segments = segments.iter().map(|it| {
        let off_cpu = it.quality().unwrap().off_cpu.unwrap();
        (off_cpu.blocks, off_cpu.blocked_ms, off_cpu.in_progress)
    });
    let of_segments: Vec<_> = of_segments.collect();
    assert_eq!(of_segments, [(1, 2, 1), (0, 2, 1), (0, 2, 1)]);
}

/// Its time would otherwise be in two files, and their figures a second too low.
#[test]
fn a_block_that_is_written_late_does_not_have_its_file_begin_earlier() {
    const SECOND_NS: u64 = 1_000_000_000;
    let types = TypeSet::CPU.with(&OFF_CPU);
    let off_cpu = types.index(&OFF_CPU).unwrap();
    let mut writer = CaptureWriter::new(synthetic::target(), synthetic::settings());
    writer.set_types(types);
    let labels = synthetic::labels_of(SampleClass::Nif, Trust::Captured);
    let blocked = SampleLabels {
        off_cpu: Some(OffCpuWhy::Blocked),
        ..labels.clone()
    };
    let known = writer.intern_function(&synthetic::function(1));
    let stack = [writer.intern_location(known, 7)];
    let mut members = Vec::new();
    for second in 0..4 {
        writer.add_sample(second * SECOND_NS + 1, &labels, &stack, 1);
        if second == 3 {
            // It began in the first second.
            writer.add_weighted(off_cpu, 1, &blocked, &stack, 1, 3 * SECOND_NS);
        }
        let quality = synthetic::quality(second + 1);
        members.push(writer.take_increment((second + 1) * SECOND_NS, &quality));
    }
    let all = whole(&members);
    let files = segments(&members, 1);
    let files = files.iter().map(|file| Capture::from_bytes(file));
    let files: Vec<Capture> = files.map(Result::unwrap).collect();
    let lengths: Vec<u64> = files.iter().map(Capture::duration_ns).collect();
    assert_eq!(lengths, [SECOND_NS; 4]);
    assert_eq!(added(&files), synthetic::sums_by_type(&all));
    assert_eq!(
        synthetic::sums_by_type(&files[3])[1],
        ("off-cpu".to_owned(), 1, 3 * SECOND_NS)
    );
}

#[test]
fn kept_files_have_all_types() {
    let directory = Directory::new("types");
    let keep = Keep {
        age: Some(Duration::from_secs(600)),
        bytes: None,
    };
    let mut files = KeptFiles::create(&directory.0.join("shop.pb.gz"), keep).unwrap();
    let members = synthetic::of_two_types(&[0; 300]);
    for member in &members {
        files.append(member).unwrap();
    }
    let (kept, removed) = files.finish(CaptureEnd::Stopped);
    assert!(kept.len() > 1 && removed.files == 0, "{} files", kept.len());
    let read = |path: &Path| Capture::from_bytes(&fs::read(path).unwrap()).unwrap();
    let captures: Vec<Capture> = kept.iter().map(|it| read(&it.path)).collect();
    assert_eq!(added(&captures), synthetic::sums_by_type(&whole(&members)));
    let samples: u64 = kept.iter().filter_map(|it| it.samples).sum();
    assert_eq!(samples, 300);
    // One block that goes on: it is in the first file, and its time in all.
    let blocks: Vec<_> = kept.iter().map(|it| it.blocks).collect();
    assert_eq!(blocks[0], Some(1));
    assert!(blocks[1..].iter().all(|blocks| *blocks == Some(0)));
}

#[test]
fn kept_files_without_processor_time_have_no_number_of_samples_and_removed_ones_are_counted() {
    let directory = Directory::new("blocks");
    let keep = Keep {
        age: Some(Duration::from_secs(24)),
        bytes: None,
    };
    let mut files = KeptFiles::create(&directory.0.join("shop.pb.gz"), keep).unwrap();
    let types = TypeSet::of(&OFF_CPU).with(&FAULTS);
    let [off_cpu, of_faults] = [&OFF_CPU, &FAULTS].map(|it| types.index(it).unwrap());
    let mut writer = CaptureWriter::new(synthetic::target(), synthetic::settings());
    writer.set_types(types);
    let known = writer.intern_function(&synthetic::function(1));
    let stack = [writer.intern_location(known, 7)];
    let labels = synthetic::labels_of(SampleClass::Nif, Trust::Captured);
    let blocked = SampleLabels {
        off_cpu: Some(OffCpuWhy::Blocked),
        ..labels.clone()
    };
    for second in 0..100 {
        let at_ns = second * 1_000_000_000;
        writer.add_weighted(off_cpu, at_ns, &blocked, &stack, 1, 1_000);
        writer.add_weighted(of_faults, at_ns, &labels, &stack, 2, 14);
        let quality = QualityRecord {
            off_cpu: Some(OffCpuQuality {
                blocks: second + 1,
                ..OffCpuQuality::default()
            }),
            faults: Some(FaultsQuality {
                faults: 14 * (second + 1),
                samples: 2 * (second + 1),
                ..FaultsQuality::default()
            }),
            ..QualityRecord::default()
        };
        let member = writer.take_increment(at_ns + 1_000_000_000, &quality);
        files.append(&member).unwrap();
    }
    let (kept, removed) = files.finish(CaptureEnd::Stopped);
    assert!(kept.iter().all(|it| it.samples.is_none()));
    let blocks: u64 = kept.iter().filter_map(|it| it.blocks).sum();
    assert!(removed.blocks > 0);
    assert_eq!((blocks + removed.blocks, removed.samples), (100, 0));
    let faults: u64 = kept.iter().filter_map(|it| it.fault_samples).sum();
    assert!(removed.fault_samples > 0);
    assert_eq!(faults + removed.fault_samples, 200);
    for file in &kept {
        let capture = Capture::from_bytes(&fs::read(&file.path).unwrap()).unwrap();
        let counted = |of| {
            let rows = capture.samples_of(of);
            Some(rows.iter().map(|it| it.count).sum::<u64>())
        };
        assert_eq!(counted(&OFF_CPU), file.blocks);
        assert_eq!(counted(&FAULTS), file.fault_samples);
    }
}

#[test]
fn a_segment_names_only_its_own_contents_and_repeats_earlier_facts() {
    let mut writer = CaptureWriter::new(synthetic::target(), synthetic::settings());
    let mut members = Vec::new();
    for round in 0..3 {
        if round == 1 {
            writer.set_origin(OriginFacts {
                commit: "ab12".into(),
                ..OriginFacts::default()
            });
        }
        let function = writer.intern_function(&synthetic::function(round));
        let place = writer.intern_location(function, 7);
        let labels = synthetic::labels_of(SampleClass::Erlang, Trust::Captured);
        writer.add_sample(round * 1_000_000_000, &labels, &[place], 1);
        let now_ns = (round + 1) * 1_000_000_000;
        members.push(writer.take_increment(now_ns, &synthetic::quality(round + 1)));
    }
    let files = segments(&members, 1);
    let captures: Vec<_> = files
        .iter()
        .map(|it| Capture::from_bytes(it).unwrap())
        .collect();
    for (round, capture) in captures.iter().enumerate() {
        assert_eq!(capture.function_count(), 1);
        let index = capture.function_indices().next().unwrap();
        assert_eq!(
            capture.function(index).name,
            synthetic::function(round as u64).name
        );
    }
    assert_eq!(captures[0].origin(), None);
    assert_eq!(captures[2].origin().unwrap().commit, "ab12");
}

#[test]
fn a_later_segment_has_no_load_of_another_time() {
    let mut writer = CaptureWriter::new(synthetic::target(), synthetic::settings());
    let machine = HostFacts {
        cpu_model: "A CPU".into(),
        ..HostFacts::default()
    };
    let host = HostFacts {
        load: Some(0.5),
        busy: vec![BusyProcess::default()],
        ..machine.clone()
    };
    writer.set_host(host.clone());
    let members = [1_u64, 2]
        .map(|second| writer.take_increment(second * 1_000_000_000, &synthetic::quality(second)));
    let hosts = segments(&members, 1)
        .iter()
        .map(|file| Capture::from_bytes(file).unwrap().host().unwrap())
        .collect::<Vec<_>>();
    assert_eq!(hosts, [host, machine]);
}

/// More pids than are kept, and some that come again and again, others after a long time.
#[test]
fn a_forgotten_value_is_never_needed() {
    let mut random = Random(77);
    let mut writer = CaptureWriter::new(synthetic::target(), synthetic::settings());
    let function = writer.intern_function(&synthetic::function(1));
    let place = writer.intern_location(function, 1);
    let mut segments = Segments::default();
    let mut pids = 0_u64;
    for second in 0..night_or_day(150, 60) {
        if second % 7 == 0 {
            segments.begin_next();
        }
        let mut wanted = Vec::new();
        for number in 0..2_000_u64 {
            let pid = match random.below(4) {
                // Of the last thousands, at a distance that the writer just remembers, or not.
                0 => pids.saturating_sub(random.below(20_000)),
                1 => random.below(50),
                _ => {
                    pids += 1;
                    pids
                }
            };
            let labels = SampleLabels {
                erlang_pid: Some(format!("<0.{pid}.0>")),
                ..synthetic::labels_of(SampleClass::Erlang, Trust::Captured)
            };
            wanted.push(pid);
            writer.add_sample(second * 1_000_000_000 + number, &labels, &[place], 1);
        }
        let member = writer.take_increment((second + 1) * 1_000_000_000, &synthetic::quality(0));
        let part = segments.add(&member).unwrap();
        // The first part of a segment stands alone: those parts show which pids came.
        if second % 7 == 0 {
            let capture = Capture::from_bytes(&part.member).unwrap();
            let mut seen: Vec<u64> = Vec::new();
            for sample in capture.samples() {
                let pid = capture.labels(sample.labels).erlang_pid.unwrap();
                let number: u64 = pid.split('.').nth(1).unwrap().parse().unwrap();
                seen.extend(std::iter::repeat_n(number, sample.count as usize));
            }
            seen.sort_unstable();
            wanted.sort_unstable();
            assert_eq!(seen, wanted);
        }
    }
    assert!(
        pids > night_or_day(100_000, 50_000),
        "{pids} are more than are kept"
    );
}

#[test]
fn garbage_is_refused() {
    let mut segments = Segments::default();
    assert!(segments.add(b"garbage").is_err());
    let members = synthetic::increments(5, 3, 100, 20);
    // Without the increments before, it refers to nothing.
    assert!(Segments::default().add(&members[2]).is_err());
}

#[test]
fn the_oldest_files_are_removed_and_what_is_kept_is_the_end() {
    let directory = Directory::new("age");
    let path = directory.0.join("shop.pb.gz");
    let keep = Keep {
        age: Some(Duration::from_secs(24)),
        bytes: None,
    };
    let mut files = KeptFiles::create(&path, keep).unwrap();
    let members = synthetic::increments(5, 100, 50, 40);
    for member in &members {
        files.append(member).unwrap();
    }
    let (kept, removed) = files.finish(CaptureEnd::Stopped);
    let names: Vec<_> = kept.iter().map(|it| it.path.clone()).collect();
    assert_eq!(names.len(), directory.files().len());
    let samples: u64 = kept.iter().map(|it| it.samples.unwrap()).sum();
    assert_eq!(
        samples + removed.samples,
        5_000,
        "nothing is lost on the way"
    );
    let first_s = kept.first().unwrap().from_s.unwrap();
    assert!((72.0..=76.0).contains(&first_s), "begins at {first_s} s");
    for (before, after) in kept.iter().zip(kept.iter().skip(1)) {
        assert_eq!(before.until_s, after.from_s.unwrap());
    }
    for file in &kept {
        let capture = Capture::from_bytes(&fs::read(&file.path).unwrap()).unwrap();
        assert_eq!(capture.total_samples(), file.samples.unwrap());
    }
}

#[test]
fn of_all_files_the_last_one_alone_states_that_sampling_ended_early() {
    let directory = Directory::new("early");
    let keep = Keep {
        age: Some(Duration::from_secs(24)),
        bytes: None,
    };
    let mut files = KeptFiles::create(&directory.0.join("shop.pb.gz"), keep).unwrap();
    for member in &synthetic::increments(5, 9, 50, 40) {
        files.append(member).unwrap();
    }
    files.end_early();
    let (kept, _) = files.finish(CaptureEnd::SamplingEnded);
    assert!(kept.len() > 1);
    for file in &kept {
        let capture = Capture::from_bytes(&fs::read(&file.path).unwrap()).unwrap();
        let quality = capture.quality().unwrap();
        assert_eq!(Some(quality.samples), file.samples);
        let is_last = Some(file) == kept.last();
        assert_eq!(quality.gaps.ended_early, is_last);
        let reason = match is_last {
            true => CaptureEnd::SamplingEnded,
            false => CaptureEnd::NextFile,
        };
        assert_eq!(capture.file_end(), FileEnd::Closed(reason));
    }
}

#[test]
fn files_never_take_more_than_they_may() {
    let directory = Directory::new("size");
    let path = directory.0.join("shop.pb.gz");
    let most = 1_000_000;
    let keep = Keep {
        age: None,
        bytes: Some(most),
    };
    let mut files = KeptFiles::create(&path, keep).unwrap();
    for member in &synthetic::increments(5, 150, 2_000, 100) {
        files.append(member).unwrap();
        // A file that is being rewritten is there twice: that counts, too.
        let taken: u64 = directory.files().iter().map(|(_, bytes)| bytes).sum();
        assert!(taken <= most, "{:?}", directory.files());
    }
    files.end_early();
    let taken: u64 = directory.files().iter().map(|(_, bytes)| bytes).sum();
    assert!(taken <= most, "{:?}", directory.files());
    let (kept, removed) = files.finish(CaptureEnd::Stopped);
    assert!(kept.len() >= 8 && removed.files > 0, "{} files", kept.len());
    let samples: u64 = kept.iter().map(|it| it.samples.unwrap()).sum();
    assert_eq!(samples + removed.samples, 300_000);
}

#[test]
fn files_of_earlier_runs_are_the_oldest_and_no_others_are_touched() {
    let directory = Directory::new("earlier");
    let path = directory.0.join("shop.pb.gz");
    let run = |keep| {
        let mut files = KeptFiles::create(&path, keep).unwrap();
        for member in &synthetic::increments(5, 30, 2_000, 100) {
            files.append(member).unwrap();
        }
        files.finish(CaptureEnd::Stopped)
    };
    let (first, removed) = run(Keep {
        age: Some(Duration::from_secs(60)),
        bytes: None,
    });
    assert_eq!(removed.files, 0);
    let others = [
        "shop.pb.gz",
        "shop.00001.pb.gz",
        "shopping.00001-20261123T140500Z.pb.gz",
    ];
    for name in others {
        fs::write(directory.0.join(name), [0; 4096]).unwrap();
    }
    let link = directory.0.join("shop.00000-20261123T140500Z.pb.gz");
    std::os::unix::fs::symlink("/etc/passwd", &link).unwrap();
    let last = first.last().unwrap().path.file_name().unwrap().to_owned();
    let leftover = format!("{}.compact-0123456789abcdef", last.to_str().unwrap());
    fs::write(directory.0.join(&leftover), [0; 4096]).unwrap();

    let bytes: u64 = first.iter().map(|it| it.bytes).sum();
    let (second, removed) = run(Keep {
        age: None,
        bytes: Some(bytes + bytes / 2),
    });
    let left = second.iter().filter(|it| it.samples.is_none()).count();
    assert!(removed.files > 0, "{removed:?}");
    assert!(left == 0 || removed.samples == 0, "the oldest go first");
    assert!(left as u64 + removed.files >= first.len() as u64);
    let names: Vec<String> = directory
        .files()
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    assert!(!names.contains(&leftover));
    for name in others {
        assert!(names.iter().any(|it| it == name), "{name} is gone");
    }
    assert!(fs::symlink_metadata(&link).is_ok());
    let number = |path: &Path| {
        let name = path.file_name().unwrap().to_str().unwrap();
        name.split(['.', '-'])
            .nth(1)
            .unwrap()
            .parse::<u64>()
            .unwrap()
    };
    let numbers: Vec<u64> = second.iter().map(|it| number(&it.path)).collect();
    assert!(
        numbers.windows(2).all(|it| it[0] + 1 == it[1]),
        "{numbers:?}"
    );
}
