use std::time::Instant;

use super::*;
use crate::clock::UNCANCELLED;

fn within(seconds: u64, bytes: u64) -> RunLimits {
    RunLimits::of(Duration::from_secs(seconds), bytes)
}

fn shell(script: &str) -> Command {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", script]);
    command
}

fn output_of(script: &str, input: &[u8], patience: RunLimits) -> Result<ProgramOutput, RunError> {
    run(
        &mut shell(script),
        input,
        Group::OfItsOwn,
        patience,
        UNCANCELLED,
    )
}

/// A file that a script writes a process id to.
struct PidFile(std::path::PathBuf);

impl PidFile {
    fn new(name: &str) -> Self {
        let file = format!("run-{name}-{}", std::process::id());
        Self(std::env::temp_dir().join(file))
    }

    fn is_written(&self) -> bool {
        std::fs::read_to_string(&self.0).is_ok_and(|text| text.ends_with('\n'))
    }

    /// Waits until the process has ended.
    fn is_gone(&self) -> bool {
        let text = std::fs::read_to_string(&self.0).unwrap();
        let pid: i32 = text.trim().parse().unwrap();
        (0..30_000).any(|_| {
            std::thread::sleep(Duration::from_millis(10));
            let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            stat.is_empty() || stat.contains(") Z ")
        })
    }
}

impl Drop for PidFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

#[test]
fn output_messages_and_status_are_returned() {
    let output = output_of("cat; echo bad >&2; exit 3", b"given", within(60, 100)).unwrap();
    assert_eq!(output.output, b"given");
    assert_eq!(output.messages, "bad\n");
    assert_eq!(output.status.code(), Some(3));
}

#[test]
fn a_program_can_get_no_right_back() {
    let output = output_of("cat /proc/self/status", b"", within(60, 1 << 16)).unwrap();
    let status = String::from_utf8(output.output).unwrap();
    assert!(status.contains("NoNewPrivs:\t1"), "{status}");
    assert!(status.contains("CapAmb:\t0000000000000000"), "{status}");
    let ours = std::fs::read_to_string("/proc/thread-self/status").unwrap();
    assert!(ours.contains("NoNewPrivs:\t0"), "{ours}");
}

#[test]
fn one_that_hangs_is_ended_with_what_it_started() {
    let file = PidFile::new("hangs");
    // The child holds the pipe open after its parent is gone.
    let script = format!("sleep 1000 & echo $! > {}; wait", file.0.display());
    // On a busy machine it may be ended before it has started anything: another one gets longer then.
    let ended = [1, 10, 100].into_iter().find_map(|seconds| {
        let error = output_of(&script, b"", within(seconds, 100)).unwrap_err();
        file.is_written().then_some(error)
    });
    let error = ended.expect("it starts something");
    assert!(matches!(error, RunError::TooLong), "{error}");
    assert!(file.is_gone(), "what it started still runs");
}

#[test]
fn one_that_closes_its_output_and_stays_is_ended() {
    let script = "exec >/dev/null 2>&1; sleep 1000";
    let error = output_of(script, b"", within(1, 100)).unwrap_err();
    assert!(matches!(error, RunError::TooLong), "{error}");
}

#[test]
fn one_with_too_much_output_is_ended() {
    let error = output_of("yes", b"", within(60, 1 << 20)).unwrap_err();
    assert!(matches!(error, RunError::TooMuch { .. }), "{error}");
}

#[test]
fn messages_without_end_are_no_room() {
    let script = "head -c 3000000 /dev/zero | tr '\\0' x >&2; echo 'status 404' >&2";
    let output = output_of(script, b"", within(60, 10)).unwrap();
    assert!(output.messages.len() < 10_000);
    assert!(output.messages.ends_with("status 404\n"));
}

#[test]
fn silence_ends_it_and_so_do_a_shared_time_and_the_user() {
    let quiet = RunLimits {
        silence: Duration::from_millis(100),
        ..within(60, 100)
    };
    let error = output_of("echo first; sleep 1000", b"", quiet).unwrap_err();
    assert!(matches!(error, RunError::TooLong), "{error}");
    let deadline = Instant::now() + Duration::from_millis(100);
    let error = output_of("sleep 1000", b"", within(60, 100).until(deadline)).unwrap_err();
    assert!(matches!(error, RunError::NoTimeLeft), "{error}");
    let mut take = |_: &[u8]| Ok::<(), RunError>(());
    let error = listen(
        &mut shell("sleep 1000"),
        b"",
        Group::Ours,
        within(60, 100),
        &|| true,
        &mut take,
    );
    assert!(matches!(error, Err(RunError::Cancelled)), "{error:?}");
}

#[test]
fn what_is_refused_ends_it() {
    let file = PidFile::new("refused");
    let script = format!("echo $$ > {}; exec cat /dev/zero", file.0.display());
    let mut take = |_: &[u8]| Err(RunError::Cancelled);
    let ended = listen(
        &mut shell(&script),
        b"",
        Group::OfItsOwn,
        within(60, u64::MAX),
        UNCANCELLED,
        &mut take,
    );
    assert!(matches!(ended, Err(RunError::Cancelled)), "{ended:?}");
    assert!(file.is_gone());
}

#[test]
fn a_missing_program_is_reported() {
    let mut nowhere = Command::new("/nowhere/git");
    let error = run(
        &mut nowhere,
        b"x",
        Group::OfItsOwn,
        within(60, 1),
        UNCANCELLED,
    )
    .unwrap_err();
    assert!(matches!(error, RunError::NotStarted(_)), "{error}");
}
