//! One check of the captures of sides, for `diff`, for `diff --history` and for the editor: each defect beside each
//! caller.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)] // A test: an unmet expectation is its failure.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use capture::facts::{CaptureSettings, OriginFacts, TargetFacts};
use capture::quality::QualityRecord;
use capture::sample::{FrameKind, FunctionFacts, SampleClass, SampleLabels, Trust};
use capture::writer::CaptureWriter;
use serde_json::json;

/// A capture: when it began, its commit, and the rest of it as a defect has it.
#[derive(Clone)]
struct Taken {
    number: u64,
    origin: OriginFacts,
    host: &'static str,
}

impl Taken {
    /// Two of each commit of one project, on one machine.
    fn of(number: u64) -> Self {
        let commit = ["a", "b"][usize::from(number > 2)];
        Self {
            number,
            origin: OriginFacts {
                repository: "https://example.org/acme/shop".to_owned(),
                commit: commit.repeat(40),
                ..OriginFacts::default()
            }
            .with_sources(&[("src/shop.erl", "1"), ("bench/driver.erl", "2")]),
            host: "one",
        }
    }

    fn written(&self) -> Vec<u8> {
        let target = TargetFacts {
            host: self.host.to_owned(),
            ..TargetFacts::default()
        };
        let settings = CaptureSettings {
            frequency_hz: 100,
            started_unix_ns: 1_700_000_000_000_000_000 + self.number * 60_000_000_000,
            ..CaptureSettings::default()
        };
        let mut writer = CaptureWriter::new(target, settings);
        let function = writer.intern_function(&FunctionFacts {
            name: "driver:loop/1".into(),
            raw_name: "driver:loop/1".into(),
            kind: FrameKind::Erlang,
            file: "bench/driver.erl".into(),
            head_line: 1,
            object: "[erlang]".into(),
        });
        let location = writer.intern_location(function, 1);
        let labels = SampleLabels {
            thread_id: 1,
            thread_name: "1_scheduler".into(),
            scheduler: None,
            erlang_pid: None,
            process_name: None,
            class: SampleClass::Erlang,
            trust: Trust::Captured,
            off_cpu: None,
        };
        for sample in 0..500 + self.number {
            writer.add_sample(sample * 10_000_000, &labels, &[location], 1);
        }
        writer.set_origin(self.origin.clone());
        writer.take_increment(10_000_000_000, &QualityRecord::default())
    }
}

trait WithSources {
    fn with_sources(self, sources: &[(&str, &str)]) -> Self;
}

impl WithSources for OriginFacts {
    fn with_sources(mut self, sources: &[(&str, &str)]) -> Self {
        let sources = sources.iter();
        self.sources = sources
            .map(|(path, digit)| ((*path).to_owned(), digit.repeat(40)))
            .collect();
        self
    }
}

/// A fault of sides, and the words of each caller for it: `diff`, the editor, `diff --history`.
struct Defect {
    name: &'static str,
    make: fn(&mut [Taken; 4]),
    words: [&'static str; 3],
}

const TWO_PROJECTS: [&str; 3] = [
    "are two projects",
    "\"kind\":\"other_project\"",
    "4.pb.gz is left out: it is of another project than most",
];
const BANK: &str = "https://example.org/other/bank";

const DEFECTS: [Defect; 7] = [
    Defect {
        name: "none",
        make: |_| {},
        words: ["method: ", "\"type\":\"compared\"", "method: "],
    },
    Defect {
        name: "two projects",
        make: |taken| {
            let origin = taken[3]
                .origin
                .clone()
                .with_sources(&[("src/bank.erl", "1")]);
            taken[3].origin = OriginFacts {
                repository: BANK.to_owned(),
                ..origin
            };
        },
        words: TWO_PROJECTS,
    },
    Defect {
        name: "a common driver",
        make: |taken| {
            let sources = [("src/bank.erl", "1"), ("bench/driver.erl", "2")];
            let origin = taken[3].origin.clone().with_sources(&sources);
            taken[3].origin = OriginFacts {
                repository: BANK.to_owned(),
                ..origin
            };
        },
        words: TWO_PROJECTS,
    },
    Defect {
        name: "changed sources",
        make: |taken| {
            for (each, digit) in taken.iter_mut().take(2).zip(["3", "4"]) {
                let origin = each.origin.clone().with_sources(&[("src/shop.erl", digit)]);
                each.origin = OriginFacts {
                    dirty: true,
                    ..origin
                };
            }
        },
        words: [
            "are of several commits (aaaaaaaaa with changes, aaaaaaaaa with changes and others)",
            "\"kind\":\"several_commits\"",
            "is left out: its sources have other changes than those of most captures of its commit",
        ],
    },
    Defect {
        name: "a copy",
        make: |taken| taken[1] = taken[0].clone(),
        words: [
            "note: 2.pb.gz was given more than once and counts once",
            "\"kind\":\"same_capture\"",
            "2.pb.gz is left out: it is a copy of 1.pb.gz",
        ],
    },
    Defect {
        name: "a copy on both sides",
        make: |taken| {
            taken[2] = taken[0].clone();
            // A side of two commits would be refused.
            taken[3].origin = taken[0].origin.clone();
        },
        words: [
            "note: 3.pb.gz is on both sides",
            "\"kind\":\"on_both_sides\"",
            "3.pb.gz is left out: it is a copy of 1.pb.gz",
        ],
    },
    Defect {
        name: "several machines",
        make: |taken| {
            taken[1].host = "two";
            taken[3].host = "two";
        },
        words: [
            "1.pb.gz was taken on one and 2.pb.gz on two: machines differ in speed",
            "\"kind\":\"other_machine\"",
            "1.pb.gz was taken on one and 2.pb.gz on two: machines differ in speed",
        ],
    },
];

#[test]
fn each_caller_names_each_defect() {
    for Defect { name, make, words } in DEFECTS {
        let mut taken = [1, 2, 3, 4].map(Taken::of);
        make(&mut taken);
        let folder = Folder::new(&name.replace(' ', "-"));
        let files = [0, 1, 2, 3].map(|at| folder.file(at + 1, &taken[at].written()));
        let [one, two, three, four] = files.each_ref().map(String::as_str);
        let history = folder.0.to_str().unwrap();
        let answers = [
            helper(&["diff", one, two, "--", three, four], b""),
            helper(&["editor-compare"], &request(&files, &[])),
            helper(&["diff", "--history", history], b""),
        ];
        for ((caller, answer), words) in
            ["diff", "editor", "history"].iter().zip(answers).zip(words)
        {
            assert!(answer.contains(words), "{name}, {caller}: {answer}");
            let known = DEFECTS.iter().filter(|other| other.name != name);
            let others = known.filter(|other| other.name != "none" && other.words != TWO_PROJECTS);
            for other in others
                .flat_map(|other| other.words)
                .filter(|other| *other != words)
            {
                assert!(!answer.contains(other), "{name}, {caller}: {answer}");
            }
        }
    }
}

/// A capture beside itself shows no change: a gate that answers "does not hold" by it has looked at nothing.
#[test]
fn a_gate_cannot_tell_of_a_capture_on_both_sides_whoever_asks() {
    const CONDITION: &str = "driver:loop/1.self.slower>100%";
    let mut taken = [1, 2, 3, 4].map(Taken::of);
    taken[2] = taken[0].clone();
    taken[3].origin = taken[0].origin.clone();
    let folder = Folder::new("gate-on-both-sides");
    let files = [0, 1, 2, 3].map(|at| folder.file(at + 1, &taken[at].written()));
    let [one, two, three, four] = files.each_ref().map(String::as_str);
    let judged = |format: &str, new: [&str; 2]| {
        let sides = ["diff", one, two, "--", new[0], new[1]];
        let asked = ["--fail-if", CONDITION, "--format", format];
        helper(&[&sides[..], &asked].concat(), b"")
    };
    let why = "3.pb.gz is on both sides: it does not differ from itself; give each capture to one side alone";
    for format in ["text", "markdown", "html", "json"] {
        let answer = judged(format, [three, four]);
        assert!(answer.contains("3.pb.gz is on both sides"), "{answer}");
        let (cannot_tell, shown) = match format {
            "json" => ("\"answer\":\"cannot_tell\"", "\"reason\":\"on_both_sides\""),
            _ => ("cannot tell", why),
        };
        assert!(answer.contains(cannot_tell), "{format}: {answer}");
        assert!(answer.contains(shown), "{format}: {answer}");
        let apart = judged(format, [four, four]);
        assert!(!apart.contains(cannot_tell), "{format}: {apart}");
    }
    let answer = helper(&["editor-compare"], &request(&files, &[CONDITION]));
    assert!(answer.contains("\"reason\":\"on_both_sides\""), "{answer}");
}

/// As the editor gives files to compare: the length of each part before it.
fn request(files: &[String; 4], conditions: &[&str]) -> Vec<u8> {
    let side = |name: &str, from: usize| {
        let captures =
            (from..from + 2).map(|at| json!({ "name": format!("{at}.pb.gz"), "own": null }));
        json!({ "name": name, "captures": captures.collect::<Vec<_>>() })
    };
    let request = json!({
        "base": side("base", 1),
        "new": side("new", 3),
        "measure": null,
        "base_texts": {},
        "new_texts": {},
        "renamed": [],
        "fail_if": conditions,
    });
    let mut message = Vec::new();
    let mut part = |bytes: &[u8]| {
        message.extend(u32::try_from(bytes.len()).unwrap().to_le_bytes());
        message.extend(bytes);
    };
    part(request.to_string().as_bytes());
    for file in files {
        part(&std::fs::read(file).unwrap());
    }
    message
}

/// All that the helper prints.
fn helper(arguments: &[&str], input: &[u8]) -> String {
    // Beside the folder of the tests, wherever that lies now.
    let tests = std::env::current_exe().unwrap();
    let program = tests.parent().unwrap().with_file_name("extrospect");
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    let ended = child.wait_with_output().unwrap();
    let (out, err) = (
        String::from_utf8_lossy(&ended.stdout),
        String::from_utf8_lossy(&ended.stderr),
    );
    format!("{out}{err}")
}

/// A folder that goes with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("extrospect-sides-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self, number: usize, bytes: &[u8]) -> String {
        let path = self.0.join(format!("{number}.pb.gz"));
        std::fs::write(&path, bytes).unwrap();
        path.to_str().unwrap().to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
