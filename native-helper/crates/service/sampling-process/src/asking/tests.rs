//! Programs that pretend to be the process that samples, and must not be trusted.

use super::*;
use crate::dialog::{Check, HeapValues, InC};
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// A program that does that when it is started.
struct Program(PathBuf);

impl Program {
    fn of(name: &str, script: &str) -> Self {
        let file = format!("extrospect-sampler-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(file);
        // A process of its own writes it: a program that this one has open for writing may be in a child
        // that another test is just starting, and cannot be executed then.
        let mut shell = Command::new("/bin/sh")
            .args(["-c", r#"cat > "$0" && chmod 700 "$0""#])
            .arg(&path)
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = shell.stdin.take().unwrap();
        write!(input, "#!/bin/sh\n{script}\n").unwrap();
        drop(input);
        assert!(shell.wait().unwrap().success());
        Self(path)
    }

    fn refusal(&self) -> String {
        let refusal = Sampler::attach(&self.0, 7, &|| false).unwrap_err();
        refusal.to_string()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        fs::remove_file(&self.0).unwrap();
    }
}

/// A frame as a shell writes it: its JSON is shorter than 128 bytes.
fn frame(json: &str) -> String {
    format!(
        "printf '\\{:o}\\000\\000\\000\\000\\000\\000\\000%s' '{json}'",
        json.len()
    )
}

/// An answer, which is two frames.
fn answer(json: &str) -> String {
    format!("{}; {}", frame("\"Answer\""), frame(json))
}

#[test]
fn the_refusal_of_one_that_ends_has_its_status() {
    assert!(
        Program::of("ends", "exit 3")
            .refusal()
            .contains("exit status: 3")
    );
    let killed = Program::of("killed", "kill -9 $$").refusal();
    assert!(killed.contains("signal: 9"), "{killed}");
    let message = Program::of("says", "echo 'a mistake of ours' >&2; exit 101").refusal();
    assert!(
        message.contains("exit status: 101: a mistake of ours"),
        "{message}"
    );
    let missing = Sampler::attach(Path::new("/nonexistent/sampler"), 7, &|| false).unwrap_err();
    assert!(missing.to_string().contains("No such file"), "{missing}");
}

#[test]
fn what_answers_another_question_or_makes_no_sense_is_not_believed() {
    for (name, script) in [
        (
            "garbage",
            "echo this is no frame at all, and quite long".to_owned(),
        ),
        (
            "promise",
            "printf '\\377\\377\\377\\377\\0\\0\\0\\0'".to_owned(),
        ),
        ("number", answer("7")),
        ("other", answer("{\"elapsed_ns\":7}")),
        ("none", frame("{\"Stopped\":{}}")),
        ("list", answer("[]")),
    ] {
        // It stays, as one that samples does.
        let refusal = Program::of(name, &format!("{script}; cat > /dev/null")).refusal();
        assert!(refusal.contains("has exited"), "{name}: {refusal}");
    }
}

#[test]
fn who_does_not_want_to_know_any_more_does_not_wait() {
    let silent = Program::of("silent", "cat > /dev/null");
    let refusal = Sampler::attach(&silent.0, 7, &|| true).unwrap_err();
    assert!(refusal.to_string().contains("cancelled"), "{refusal}");
}

#[test]
fn the_end_of_a_target_is_no_answer() {
    let gone = frame("\"TargetGone\"");
    let nameless = answer("[]");
    let program = Program::of("gone", &format!("{gone}; {nameless}; cat > /dev/null"));
    let objects = Sampler::nameless_objects(&program.0, 7, &|| false).unwrap();
    assert_eq!(objects, []);
}

#[test]
fn progress_is_reported_before_the_answer_and_does_not_delay_cancelling() {
    let progress = |bytes| {
        frame(&format!(
            "{{\"HeapProgress\":{{\"bytes\":{bytes},\"of_bytes\":10}}}}"
        ))
    };
    let answer = answer("[]");
    let [one, five] = [1, 5].map(progress);
    let program = Program::of(
        "progress",
        &format!("{one}; {five}; {answer}; cat > /dev/null"),
    );
    let heard = std::cell::RefCell::new(Vec::new());
    let report = |bytes, of_bytes| heard.borrow_mut().push((bytes, of_bytes));
    let mut sampler = Sampler::start(&program.0, 7).unwrap();
    let of_shop = || HeapValues {
        process: "shop".into(),
    };
    let values = sampler
        .ask_at_length(of_shop(), &|| false, &report)
        .unwrap();
    assert_eq!((values, heard.take()), (Vec::new(), vec![(1, 10), (5, 10)]));

    let endless = Program::of("endless", &format!("while {one}; do :; done"));
    let mut sampler = Sampler::start(&endless.0, 7).unwrap();
    let is_cancelled = || heard.borrow().len() > 100;
    let refusal = sampler
        .ask_at_length(of_shop(), &is_cancelled, &report)
        .unwrap_err();
    assert!(refusal.to_string().contains("cancelled"), "{refusal}");
    assert!(sampler.is_lost(), "it owes an answer");
}

#[test]
fn an_answer_that_makes_no_sense_is_the_last() {
    let program = Program::of("senseless", &format!("{}; cat > /dev/null", answer("7")));
    let mut sampler = Sampler::start(&program.0, 7).unwrap();
    let refusal = sampler.ask(Check {}, &|| false).unwrap_err();
    assert!(refusal.to_string().contains("not understood"), "{refusal}");
    assert!(sampler.is_lost());
}

#[test]
fn one_that_owes_an_answer_gets_no_further_question() {
    let values = answer("[[\"message 1\",\"a\"]]");
    let program = Program::of("owing", &format!("{values}; cat > /dev/null"));
    let mut sampler = Sampler::start(&program.0, 7).unwrap();
    let of = |process: &str| HeapValues {
        process: process.into(),
    };
    sampler.ask(of("shop"), &|| true).unwrap_err();
    // The values of the first process are not those of the second.
    let refusal = sampler.ask(of("stock"), &|| false).unwrap_err();
    assert!(refusal.to_string().contains("cancelled"), "{refusal}");
}

#[test]
fn a_refusal_is_no_loss() {
    let refusal = crate::refusals::lost(&"too busy");
    let json = serde_json::to_string(&Message::Refused(refusal)).unwrap();
    let [low, high] = [json.len() % 256, json.len() / 256];
    let refused = format!("printf '\\{low:o}\\{high:o}\\0\\0\\0\\0\\0\\0%s' '{json}'");
    let script = format!("{refused}; {}; cat > /dev/null", answer("[]"));
    let program = Program::of("refuses", &script);
    let mut sampler = Sampler::start(&program.0, 7).unwrap();
    let refusal = sampler.ask(InC {}, &|| false).unwrap_err();
    assert!(refusal.to_string().contains("too busy"), "{refusal}");
    assert!(!sampler.is_lost());
    assert_eq!(sampler.ask(InC {}, &|| false).unwrap().len(), 0);
}
