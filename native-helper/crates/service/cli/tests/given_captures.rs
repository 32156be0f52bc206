//! Captures as they are given on the command line: paths that are no files, names that cannot be read to
//! their end, options that make no sense together.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)] // A test: an unmet expectation is its failure.

use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use capture::end::FileEnd;
use capture::facts::{CaptureSettings, TargetFacts};
use capture::kernel_time::KernelTime;
use capture::quality::{QualityRecord, SamplingGaps, StandstillReason};
use capture::reader::Capture;
use capture::sample::{FrameKind, FunctionFacts, SampleClass, SampleLabels, Trust};
use capture::sample_types::{OFF_CPU, TypeSet};
use capture::writer::CaptureWriter;
use rustix::fs::{CWD, FileType, Mode, mknodat};

/// Waiting for a pipe would last for ever.
const PATIENCE: Duration = Duration::from_secs(300);
const LONG: usize = 100_000;

/// A folder that goes with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("extrospect-given-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }

    fn file(&self, name: &str, text: &str) -> String {
        std::fs::write(self.0.join(name), text).unwrap();
        self.path(name)
    }

    fn pipe(&self, name: &str) -> String {
        mknodat(
            CWD,
            self.0.join(name),
            FileType::Fifo,
            Mode::from_raw_mode(0o600),
            0,
        )
        .unwrap();
        self.path(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

struct Ended {
    code: i32,
    out: String,
    err: String,
}

/// The helper that cargo compiled for these tests: beside their own folder, wherever that lies now.
fn helper() -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    tests.parent().unwrap().with_file_name("extrospect")
}

fn run(arguments: &[&str]) -> Ended {
    let child = Command::new(helper())
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = child.unwrap();
    let until = Instant::now() + PATIENCE;
    let (mut out, mut err) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let read = |from: &mut dyn std::io::Read| {
        let mut bytes = Vec::new();
        from.read_to_end(&mut bytes).unwrap();
        // A profile is no text.
        String::from_utf8_lossy(&bytes).into_owned()
    };
    std::thread::scope(|scope| {
        let out = scope.spawn(move || read(&mut out));
        let err = scope.spawn(move || read(&mut err));
        // Its standard input stays open, as that of a pipe without a writer.
        let status = loop {
            match child.try_wait().unwrap() {
                Some(status) => break status,
                None if Instant::now() > until => {
                    child.kill().unwrap();
                    panic!("{arguments:?} waits");
                }
                None => std::thread::sleep(Duration::from_millis(5)),
            }
        };
        Ended {
            code: status.code().unwrap(),
            out: out.join().unwrap(),
            err: err.join().unwrap(),
        }
    })
}

fn recorded(number: usize) -> String {
    let this_crate = std::env::var("CARGO_MANIFEST_DIR").unwrap();
    format!("{this_crate}/../../verdict/compare/tests/recorded/run-{number:02}.pb.gz")
}

#[test]
fn what_is_no_regular_file_is_named_and_not_waited_for() {
    let folder = Folder::new("kinds");
    let pipe = folder.pipe("pipe.pb.gz");
    let socket = folder.path("socket.pb.gz");
    let _listener = UnixListener::bind(&socket).unwrap();
    let link = folder.path("link.pb.gz");
    symlink(&pipe, &link).unwrap();
    let whole = recorded(0);
    for (path, kind) in [
        (pipe.as_str(), "a pipe"),
        (&link, "a pipe"),
        ("/dev/stdin", "a pipe"),
        (&socket, "a socket"),
        ("/dev/null", "a device"),
        (folder.0.to_str().unwrap(), "a folder"),
    ] {
        let output = folder.path("imported.pb.gz");
        for command in [
            &["top", path][..],
            &["blame", "gc", path],
            &["export", path, "--format", "folded"],
            &["export", path, "--format", "pprof"],
            &["import", path, "-o", &output],
            &["commit", path],
            &["push", path, "--to", "http://127.0.0.1:9"],
            &["diff", path, "--", &whole],
            &["diff", &whole, "--", path],
        ] {
            let ended = run(command);
            assert_eq!(ended.code, 1, "{command:?}: {}", ended.err);
            let reason = format!("{path} is {kind}; a regular file is needed");
            assert!(ended.err.contains(&reason), "{command:?}: {}", ended.err);
        }
    }
}

#[test]
fn a_history_names_all_that_it_leaves_out() {
    let folder = Folder::new("history");
    for number in 0..2 {
        let name = format!("{number}.pb.gz");
        std::fs::copy(recorded(number), folder.path(&name)).unwrap();
    }
    folder.pipe("pipe.pb.gz");
    symlink("/nonexistent", folder.path("dangling.pb.gz")).unwrap();
    std::fs::create_dir(folder.path("folder.pb.gz")).unwrap();
    let path = folder.0.to_str().unwrap();
    let ended = run(&["diff", "--history", path]);
    assert_eq!(ended.code, 0, "{}", ended.err);
    for left_out in [
        "pipe.pb.gz is left out: ",
        "dangling.pb.gz is left out: there is no file ",
        "folder.pb.gz is left out: ",
    ] {
        assert!(ended.err.contains(left_out), "{}", ended.err);
    }
    let missing = run(&["diff", "--history", path, "--source-dir", "/nonexistent"]);
    assert_eq!(missing.code, 2, "{}", missing.err);
    assert!(missing.err.contains("the folder /nonexistent is missing"));
    let markdown = run(&["diff", "--history", path, "--markdown", "-n", "1"]);
    assert_eq!(markdown.code, 2, "{}", markdown.err);
}

#[test]
fn names_of_any_length_are_shown_cut_and_whole_in_json() {
    let folder = Folder::new("names");
    let name = format!("m:{}/1", "n".repeat(LONG));
    let text = |count: u32| format!("m:r/0;{name} {count}\nm:r/0;m:b/0 {}\n", 1000 - count);
    let (base, new) = (
        folder.file("base.folded", &text(500)),
        folder.file("new.folded", &text(900)),
    );
    let condition = ["--fail-if", "self.slower>2%"];
    let compared = ["diff", &base, "--", &new];
    for arguments in [
        [&compared[..], &condition].concat(),
        [&compared[..], &condition, &["--markdown"]].concat(),
        vec!["top", &base],
        vec!["top", &base, "--by", "line"],
        vec!["blame", "b/0", &base],
    ] {
        let ended = run(&arguments);
        assert!(
            [0, 1, 6].contains(&ended.code),
            "{arguments:?}: {}",
            ended.err
        );
        assert!(!ended.err.contains("a mistake"), "{}", ended.err);
        for line in ended.out.lines().chain(ended.err.lines()) {
            assert!(line.len() < 2000, "{arguments:?}");
        }
    }
    let held = run(&[&compared[..], &condition].concat());
    assert_eq!(held.code, 6);
    assert!(held.out.contains("nnn… (self) +"), "{}", held.out);
    assert!(!held.err.contains("nnn"), "{}", held.err);
    let json = run(&[&compared[..], &condition, &["--json"]].concat());
    assert!(json.out.contains(&format!("\"function\":\"{name}\"")));
}

/// A capture of the demo, and the answers that the editor's are compared with.
fn saved(name: &str) -> String {
    let this_crate = std::env::var("CARGO_MANIFEST_DIR").unwrap();
    format!("{this_crate}/../../../../test/unit/capture/fixtures/demo.{name}")
}

fn answer(name: &str) -> serde_json::Value {
    let json = std::fs::read(saved(&format!("{name}.json"))).unwrap();
    serde_json::from_slice(&json).unwrap()
}

/// The lines of a command that succeeds.
fn shown(arguments: &[&str]) -> Vec<String> {
    let ended = run(arguments);
    assert_eq!(ended.code, 0, "{arguments:?}: {}", ended.err);
    ended.out.lines().map(str::to_owned).collect()
}

/// Percent of so many samples, as a table has it.
fn percent(part: &serde_json::Value, whole: &serde_json::Value) -> String {
    let (part, whole) = (part.as_f64().unwrap(), whole.as_f64().unwrap());
    format!("{:.1}", 100.0 * part / whole)
}

#[test]
fn top_has_percent_of_busy_samples_by_default() {
    let capture = saved("pb.gz");
    for (more, saved, base, heading) in [
        (
            &[][..],
            "top-busy",
            "busy",
            ", idle 0.5 % of all; of busy: gc 28.9 %, ",
        ),
        (
            &["--percent-of", "all"],
            "top",
            "samples",
            "; of all: gc 28.8 %, ",
        ),
    ] {
        let lines = shown(&[&["top", &capture, "-n", "0"], more].concat());
        let heading = format!("9688 samples, 9644 busy{heading}");
        assert!(lines[0].starts_with(&heading), "{}", lines[0]);
        assert_eq!(lines[0].matches("idle").count(), 1, "{}", lines[0]);
        let answer = answer(saved);
        let rows = answer["functions"].as_array().unwrap();
        assert_eq!(lines.len(), rows.len() + 3, "a row for each function");
        for (line, row) in lines[2..].iter().zip(rows) {
            let cells: Vec<&str> = line.split_whitespace().take(3).collect();
            let share = |part: &str| percent(&row[part], &answer[base]);
            let samples = row["self"].to_string();
            assert_eq!(cells, [&share("self"), &share("total"), &samples], "{row}");
        }
    }
    let json = |more: &[&str]| {
        let all = [&["top", &capture, "-n", "0", "--json"], more].concat();
        let mut answer: serde_json::Value = serde_json::from_str(&shown(&all)[0]).unwrap();
        answer["functions"].take()
    };
    assert_eq!(json(&[]), answer("top")["functions"]);
    let of_busy = ["--percent-of", "busy"];
    assert_eq!(json(&of_busy), answer("top-busy")["functions"]);
    let by_line = shown(&["top", &capture, "--by", "line", "-n", "1"]);
    assert!(by_line[0].contains("; of busy: "), "{}", by_line[0]);
}

#[test]
fn samples_without_a_line_are_counted_above_the_lines() {
    let folder = Folder::new("lines");
    let of = |text: &str| {
        let file = folder.file("some.folded", text);
        let ended = run(&["top", &file, "--by", "line"]);
        assert_eq!(ended.code, 0, "{}", ended.err);
        let lines = ended.out.lines().map(str::to_owned);
        lines.collect::<Vec<String>>()
    };
    let some = of("a;b (b.erl:3) 30\na;c 10\n");
    assert_eq!(some[1], "25.0 % have no line that is known");
    assert!(some[2].starts_with("self %"), "{some:?}");
    assert_eq!(of("a;c 10\n")[1], "100.0 % have no line that is known");
    assert!(of("a;b (b.erl:3) 30\n")[1].starts_with("self %"));
}

#[test]
fn blame_has_percent_of_busy_samples_by_default() {
    let capture = saved("pb.gz");
    let answer = answer("blame-gc");
    for (more, base, matched) in [
        (&[][..], "busy", "gc: 2786 samples, 28.9 % of busy, in "),
        (
            &["--percent-of", "all"],
            "all",
            "gc: 2786 samples, 28.8 % of all, in ",
        ),
    ] {
        let lines = shown(&[&["blame", "gc", &capture, "-n", "0"], more].concat());
        assert_eq!(lines[0], "9688 samples, 9644 busy, idle 0.5 % of all");
        assert!(lines[1].starts_with(matched), "{}", lines[1]);
        assert!(lines[2].contains(&format!("% of {base}  samples")));
        let callers = answer["callers"].as_array().unwrap();
        assert_eq!(lines.len(), callers.len() + 3);
        for (line, caller) in lines[3..].iter().zip(callers) {
            let cells: Vec<&str> = line.split_whitespace().take(3).collect();
            let share = |whole: &str| percent(&caller["samples"], &answer[whole]);
            let samples = caller["samples"].to_string();
            assert_eq!(
                cells,
                [&share("samples"), &share(base), &samples],
                "{caller}"
            );
        }
    }
    let json = shown(&["blame", "gc", &capture, "-n", "0", "--json"]);
    assert_eq!(
        serde_json::from_str::<serde_json::Value>(&json[0]).unwrap(),
        answer
    );
}

/// A capture of so many samples of one C function, of user code only.
fn of_user_code(samples: u64, gaps: SamplingGaps) -> Vec<u8> {
    of_types(TypeSet::CPU, samples, gaps)
}

/// The same; with blocked time among its types, the function is blocked for 1 ms at each sample.
fn of_types(types: TypeSet, samples: u64, gaps: SamplingGaps) -> Vec<u8> {
    let settings = CaptureSettings {
        frequency_hz: 100,
        ..CaptureSettings::default()
    };
    let mut writer = CaptureWriter::new(TargetFacts::default(), settings);
    writer.set_types(types);
    let function = writer.intern_function(&FunctionFacts {
        name: "copy_struct".into(),
        raw_name: "copy_struct".into(),
        kind: FrameKind::Native,
        file: String::new(),
        head_line: 0,
        object: "beam.smp".into(),
    });
    let location = writer.intern_location(function, 0);
    let labels = SampleLabels {
        thread_id: 1,
        thread_name: "1_scheduler".into(),
        scheduler: None,
        erlang_pid: None,
        process_name: None,
        class: SampleClass::Copy,
        trust: Trust::Captured,
        off_cpu: None,
    };
    for sample in 0..samples {
        let time_ns = sample * 10_000_000;
        writer.add_sample(time_ns, &labels, &[location], 1);
        if let Some(off_cpu) = types.index(&OFF_CPU) {
            writer.add_weighted(off_cpu, time_ns, &labels, &[location], 1, 1_000_000);
        }
    }
    let quality = QualityRecord {
        samples,
        kernel: Some(KernelTime::default()),
        gaps,
        ..QualityRecord::default()
    };
    writer.take_increment(10_000_000_000, &quality)
}

#[test]
fn a_capture_without_erlang_code_has_no_builds_to_compare() {
    let folder = Folder::new("builds");
    let file = folder.path("capture.pb.gz");
    std::fs::write(&file, of_user_code(0, SamplingGaps::default())).unwrap();
    let builds = folder.path("");
    let ended = run(&["commit", &file, "--builds", &builds]);
    assert_eq!(ended.code, 0, "{}", ended.err);
    let expected = "no Erlang code is in the samples: there is no module whose build could be compared; record the VM while it works";
    assert!(
        ended.out.lines().any(|line| line == expected),
        "{}",
        ended.out
    );
}

#[test]
fn blame_of_what_is_in_no_sample_names_what_limits_the_capture_and_no_other_reason() {
    const USER_CODE: &str = "extrospect: user code only: time in the kernel is not included";
    let folder = Folder::new("unseen");
    let file = folder.path("capture.pb.gz");
    let stopped = SamplingGaps {
        standstill_ms: 2100,
        standstill_reason: Some(StandstillReason::Stopped),
        ..SamplingGaps::default()
    };
    let cases = [
        (
            8,
            SamplingGaps::default(),
            &[
                USER_CODE,
                "extrospect: nothing called `gc` is in 8 samples; it did not run, has another name in this VM, or took less than 31.2 % of the sampled time (95 % sure, if the samples are independent of each other); try a group",
            ][..],
        ),
        (
            0,
            stopped,
            &[
                USER_CODE,
                "extrospect: no samples: the VM did not run for at least 2.1 s (a signal had stopped it)",
                "extrospect: the capture has no sample: `gc` may have run or not; record again",
            ],
        ),
        (
            0,
            SamplingGaps::default(),
            &[
                USER_CODE,
                "extrospect: no samples: the capture has no reason",
                "extrospect: the capture has no sample: `gc` may have run or not; record again",
            ],
        ),
    ];
    for (samples, gaps, expected) in cases {
        std::fs::write(&file, of_user_code(samples, gaps)).unwrap();
        for more in [&[][..], &["--json"][..]] {
            let ended = run(&[&["blame", "gc", &file], more].concat());
            assert_eq!((ended.code, ended.out.as_str()), (1, ""), "{}", ended.err);
            let lines: Vec<&str> = ended.err.lines().collect();
            assert_eq!(lines.len(), expected.len(), "{}", ended.err);
            for (line, start) in lines.iter().zip(expected) {
                assert!(line.starts_with(start), "{line}");
            }
        }
    }
    std::fs::write(&file, of_user_code(8, SamplingGaps::default())).unwrap();
    let json = shown(&["blame", "copy_struct", &file, "--json"]);
    let answer: serde_json::Value = serde_json::from_str(&json.concat()).unwrap();
    let heading = USER_CODE.trim_start_matches("extrospect: ");
    assert_eq!(answer["headings"], serde_json::json!([heading]));
}

/// A capture of 8 samples and 8 blocks.
fn of_two_types() -> Vec<u8> {
    let types = TypeSet::CPU.with(&OFF_CPU);
    of_types(types, 8, SamplingGaps::default())
}

#[test]
fn figures_are_of_the_chosen_type_of_samples() {
    let folder = Folder::new("types");
    let file = folder.path("two.pb.gz");
    std::fs::write(&file, of_two_types()).unwrap();
    let json = |arguments: &[&str]| -> serde_json::Value {
        serde_json::from_str(&shown(arguments).concat()).unwrap()
    };
    let of_time = json(&["top", &file, "--json"]);
    let named = serde_json::json!({"name": "cpu", "unit": "samples", "label": "CPU time"});
    assert_eq!(
        (&of_time["type"], &of_time["samples"]),
        (&named, &serde_json::json!(8))
    );
    assert_eq!(
        of_time["functions"],
        json(&["top", &file, "--json", "--type", "cpu"])["functions"]
    );

    let blocked = json(&["top", &file, "--json", "--type", "off-cpu"]);
    let named =
        serde_json::json!({"name": "off-cpu", "unit": "nanoseconds", "label": "blocked time"});
    assert_eq!(blocked["type"], named);
    assert_eq!(blocked["functions"][0]["self"], 8_000_000);
    let lines = shown(&["top", &file, "--type", "off-cpu"]);
    let heading = |line: &String| line.starts_with("8.00 ms of blocked time, 8.00 ms busy");
    assert!(lines.iter().any(heading), "{lines:?}");
    let columns = |line: &String| line.contains("total %") && line.contains("blocked time");
    assert!(lines.iter().any(columns), "{lines:?}");
    let row = |line: &String| line.contains("8.00 ms") && line.contains("copy_struct");
    assert!(lines.iter().any(row), "{lines:?}");
    let lines = shown(&["blame", "copy_struct", &file, "--type", "off-cpu"]);
    let matched = "copy_struct: 8.00 ms of blocked time, 100.0 % of busy, in copy_struct";
    assert!(lines.iter().any(|line| line == matched), "{lines:?}");
    let named = json(&["blame", "copy_struct", &file, "--type", "off-cpu", "--json"]);
    assert_eq!(named["type"]["name"], "off-cpu");
    let folded = ["export", &file, "--format", "folded", "--type", "off-cpu"];
    assert_eq!(shown(&folded), ["copy_struct 8000000"]);
}

#[test]
fn a_type_that_the_capture_lacks_is_refused_with_those_that_it_has() {
    let folder = Folder::new("no-type");
    let file = folder.path("two.pb.gz");
    let other = folder.path("other.pb.gz");
    for path in [&file, &other] {
        std::fs::write(path, of_two_types()).unwrap();
    }
    let lacks = "two.pb.gz has no samples of type alloc; it has cpu, off-cpu; choose one";
    let of_vm = "extrospect: --type alloc is for captures; a VM is sampled by its time on a processor, without one (off-cpu), or its page faults (faults)";
    let store = "http://127.0.0.1:9";
    for (arguments, why) in [
        (&["top", &file, "--type", "alloc"][..], lacks),
        (&["top", &file, "--json", "--type", "alloc"], lacks),
        (&["blame", "gc", &file, "--type", "alloc"], lacks),
        (
            &["export", &file, "--format", "folded", "--type", "alloc"],
            lacks,
        ),
        (&["push", &file, "--to", store, "--type", "alloc"], lacks),
        (&["diff", &file, "--type", "alloc", "--", &other], lacks),
        (&["top", "1", "--type", "alloc"], of_vm),
        (
            &["export", &file, "--format", "pprof", "--type", "off-cpu"],
            "--type is for formats with one type of samples",
        ),
        (
            &["diff", "--history", ".", "--type", "off-cpu"],
            "--type is for captures of two sides",
        ),
    ] {
        let ended = run(arguments);
        assert_eq!((ended.code, ended.out.as_str()), (2, ""), "{arguments:?}");
        assert!(ended.err.contains(why), "{arguments:?}: {}", ended.err);
    }
}

#[test]
fn the_profile_of_another_tool_has_its_own_type() {
    let folder = Folder::new("other-type");
    let file = folder.file("bytes.folded", "demo:main/0;lists:seq/2 3\n");
    let shown = shown(&["top", &file, "--json", "--type", "samples"]);
    let answer: serde_json::Value = serde_json::from_str(&shown.concat()).unwrap();
    assert_eq!(answer["type"]["unit"], "samples");
    let ended = run(&["top", &file, "--type", "cpu"]);
    assert_eq!(ended.code, 2);
    assert!(ended.err.contains("; it has samples; "), "{}", ended.err);
}

#[test]
fn blame_of_a_sum_of_another_tool_has_no_bound() {
    let folder = Folder::new("sum");
    let sum = folder.file("sum.folded", "demo:main/0;lists:seq/2 2.5\n");
    let ended = run(&["blame", "gc", &sum]);
    assert_eq!(ended.code, 1, "{}", ended.err);
    let all = "nothing called `gc` is in 2500 thousandths of samples; it did not run, has another name in this VM, or was in no sample by chance";
    assert!(ended.err.contains(all), "{}", ended.err);
}

#[test]
fn a_profile_that_was_imported_is_no_file_that_still_has_to_be_closed() {
    let folder = Folder::new("imported");
    let profile = folder.file("sum.folded", "demo:main/0;lists:seq/2 3\n");
    let file = folder.path("sum.pb.gz");
    shown(&["import", &profile, "-o", &file]);
    let capture = Capture::from_bytes(&std::fs::read(&file).unwrap()).unwrap();
    assert_eq!(capture.file_end(), FileEnd::NotRecorded);
}

#[test]
fn the_base_of_a_page_is_named_and_is_for_pages_alone() {
    let capture = saved("pb.gz");
    let page = ["export", &capture, "--format", "html"];
    for (more, base) in [(&[][..], "busy"), (&["--percent-of", "all"], "all")] {
        let html = shown(&[&page[..], more].concat()).join("\n");
        let heading = format!("9644 busy, idle 0.5 % of all, shares of {base} samples");
        assert!(html.contains(&heading), "{base}");
    }
    let folded = [
        "export",
        &capture,
        "--format",
        "folded",
        "--percent-of",
        "all",
    ];
    let refused = run(&folded);
    assert_eq!(refused.code, 2, "{}", refused.err);
    assert!(refused.err.contains("--percent-of is for --format html"));
}

#[test]
fn each_export_names_what_its_file_lacks() {
    let folder = Folder::new("cut");
    let whole = std::fs::read(saved("pb.gz").replace("demo.pb", "demo-growing.pb")).unwrap();
    let cut = folder.path("cut.pb.gz");
    std::fs::write(&cut, &whole[..whole.len() - 10]).unwrap();
    let lines = "demo:main/0;lists:seq/2 7\ndemo:main/0 9\nno number\n";
    let folded = folder.file("noted.folded", lines);
    for format in ["folded", "speedscope", "firefox", "html", "pprof", "otlp"] {
        let ended = run(&["export", &cut, "--format", format]);
        // A profile of OpenTelemetry is one message, which the file does not have whole.
        let code = i32::from(format == "otlp");
        assert_eq!(ended.code, code, "{format}: {}", ended.err);
        let lacks = "cut.pb.gz ends in the middle, or something else follows";
        assert_eq!(
            ended.err.matches(lacks).count(),
            1,
            "{format}: {}",
            ended.err
        );
    }
    let notes = |format| run(&["export", &folded, "--format", format]).err;
    let of_html = notes("html");
    assert!(of_html.contains("no stack with a number"), "{of_html}");
    assert_eq!([notes("pprof"), notes("otlp")], [of_html.clone(), of_html]);
}

#[test]
fn options_that_need_another_are_a_usage_error() {
    let (base, new) = (recorded(0), recorded(1));
    let ended = |more: &[&str]| {
        let ended = run(&[&["diff", &base, "--", &new], more].concat());
        assert!(ended.out.is_empty(), "{}", ended.out);
        (ended.code, ended.err)
    };
    let (code, messages) = ended(&["--function", "demo:f/1"]);
    assert_eq!(code, 2, "{messages}");
    assert!(
        messages.contains("--function is for --history"),
        "{messages}"
    );
    assert_eq!(ended(&["--link", "https://example.org/"]).0, 2);
    let bisecting = ["--fail-if", "whole.slower>2%", "--bisect"];
    for more in [
        &["--link", "https://example.org/"][..],
        &["--function", "demo:f/1"],
        &["--source-dir", "/nonexistent"],
    ] {
        let (code, messages) = ended(&[&bisecting[..], more].concat());
        assert_eq!(code, 128, "{messages}");
    }
}

/// A commit that was not looked at is not bad: 1 would say that it is.
#[test]
fn a_bisection_ends_where_the_shell_leaves_too_little() {
    let line = "ulimit -n 10; exec \"$0\" diff a -- b --fail-if 'whole.slower>2%' --bisect";
    let shell = Command::new("/bin/sh")
        .args(["-c", line])
        .arg(helper())
        .output()
        .unwrap();
    assert_eq!(shell.status.code(), Some(128));
}
