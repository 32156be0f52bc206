//! Captures in which functions have names, files and lines, and their matches.
#![allow(dead_code, missing_docs, clippy::expect_used)]

use capture::facts::{BuildFacts, CaptureSettings, TargetFacts};
use capture::quality::QualityRecord;
use capture::reader::Capture;
use capture::sample::{FrameKind, FunctionFacts, SampleClass, SampleLabels, Trust};
use capture::writer::CaptureWriter;
use compare::answer::Comparison;
use compare::{
    CaptureToCompare, MatchedBy, Options, RenamedFile, Side, SourceFile, SourceTexts, compare,
};
use shared_map::HashMap;

fn labels() -> SampleLabels {
    SampleLabels {
        thread_id: 1,
        thread_name: "1_scheduler".into(),
        scheduler: None,
        erlang_pid: None,
        process_name: None,
        class: SampleClass::Erlang,
        trust: Trust::Captured,
        off_cpu: None,
    }
}

fn erlang((name, file, line): &(&str, &str, u32)) -> FunctionFacts {
    FunctionFacts {
        name: (*name).into(),
        raw_name: (*name).into(),
        kind: FrameKind::Erlang,
        file: (*file).into(),
        head_line: *line,
        object: "[erlang]".into(),
    }
}

/// A capture in which each of these functions, name, file and line, has a hundred samples.
pub fn capture(functions: &[(&str, &str, u32)]) -> Capture {
    capture_of(&functions.iter().map(erlang).collect::<Vec<_>>())
}

pub fn capture_of(functions: &[FunctionFacts]) -> Capture {
    written(functions, None)
}

/// The same, with the record that the VM ran this build of a module.
pub fn capture_of_build(functions: &[(&str, &str, u32)], module: &str, build: char) -> Capture {
    let md5 = build.to_string().repeat(32);
    let build = BuildFacts {
        modules: [(module.to_owned(), md5)].into(),
        ..BuildFacts::default()
    };
    let functions: Vec<_> = functions.iter().map(erlang).collect();
    written(&functions, Some(build))
}

fn written(functions: &[FunctionFacts], build: Option<BuildFacts>) -> Capture {
    let mut writer = CaptureWriter::new(TargetFacts::default(), CaptureSettings::default());
    if let Some(build) = build {
        writer.set_build(build);
    }
    let main = writer.intern_function(&loop_facts());
    let main = writer.intern_location(main, 0);
    for facts in functions {
        let function = writer.intern_function(facts);
        let location = writer.intern_location(function, facts.head_line);
        for number in 0..100 {
            writer.add_sample(number * 100_000_000, &labels(), &[location, main], 1);
        }
    }
    let bytes = writer.take_increment(10_000_000_000, &QualityRecord::default());
    Capture::from_bytes(&bytes).expect("a capture")
}

/// One function that calls C code without a name.
pub fn capture_of_calls(caller: &FunctionFacts, unnamed: &str) -> Capture {
    let native = FunctionFacts {
        name: unnamed.into(),
        raw_name: unnamed.into(),
        kind: FrameKind::Native,
        file: String::new(),
        head_line: 0,
        object: "beam.smp".into(),
    };
    let mut writer = CaptureWriter::new(TargetFacts::default(), CaptureSettings::default());
    let stack = [native, caller.clone(), loop_facts()].map(|facts| {
        let function = writer.intern_function(&facts);
        writer.intern_location(function, facts.head_line)
    });
    for number in 0..100 {
        writer.add_sample(number * 100_000_000, &labels(), &stack, 1);
    }
    let bytes = writer.take_increment(10_000_000_000, &QualityRecord::default());
    Capture::from_bytes(&bytes).expect("a capture")
}

fn loop_facts() -> FunctionFacts {
    FunctionFacts {
        name: "shop:loop/1".into(),
        raw_name: "shop:loop/1".into(),
        kind: FrameKind::Erlang,
        file: String::new(),
        head_line: 0,
        object: "[erlang]".into(),
    }
}

pub fn side<'a>(name: &str, capture: &'a Capture) -> Side<'a> {
    Side {
        name: name.into(),
        captures: vec![CaptureToCompare {
            name: name.into(),
            capture,
            own: None,
        }],
    }
}

pub fn compared(base: &Capture, new: &Capture, texts: SourceTexts) -> Comparison {
    let options = Options {
        texts,
        ..Options::default()
    };
    compare(&side("base", base), &side("new", new), &options).expect("a comparison")
}

/// Old name, new name, how.
pub fn matches(comparison: &Comparison) -> Vec<(Option<&str>, &str, Option<MatchedBy>)> {
    let rows = comparison
        .functions
        .iter()
        .filter(|row| row.function != "shop:loop/1");
    let mut rows: Vec<_> = rows
        .map(|row| {
            (
                row.base_function.as_deref(),
                row.function.as_str(),
                row.matched_by,
            )
        })
        .collect();
    rows.sort_by_key(|row| row.1);
    rows
}

pub fn texts(base: &[(&str, &str)], new: &[(&str, &str)], renamed: &[(&str, &str)]) -> SourceTexts {
    let files = |files: &[(&str, &str)]| -> HashMap<String, SourceFile> {
        let file = |(path, text): &(&str, &str)| {
            let file = SourceFile {
                path: (*path).into(),
                text: (*text).into(),
            };
            ((*path).to_owned(), file)
        };
        files.iter().map(file).collect()
    };
    let renamed = renamed.iter().map(|(base, new)| RenamedFile {
        base: (*base).into(),
        new: (*new).into(),
    });
    SourceTexts {
        base: files(base),
        new: files(new),
        renamed: renamed.collect(),
        ..SourceTexts::default()
    }
}
