use super::*;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

/// A program in the place of curl.
struct Script(PathBuf);

impl Script {
    fn new(name: &str, text: &str) -> Self {
        let file = format!("extrospect-curl-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(file);
        fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        Self(path)
    }

    fn run(
        &self,
        bounds: Bounds,
        cancelled: &dyn Fn() -> bool,
    ) -> (Result<Transferred, ProgramError>, u64) {
        let transfer = Transfer {
            curl: &self.0,
            user: None,
            url: "http://host/buildid/ab/debuginfo",
            is_encrypted: false,
            post: None,
            bounds,
            deadline: Instant::now() + Duration::from_secs(600),
        };
        let mut bytes = 0;
        let mut take = |part: &[u8]| {
            bytes += part.len() as u64;
            Ok(())
        };
        let mut result = transfer.run(&mut take, cancelled);
        // What another test starts at that moment holds the file open for writing until it is another program.
        while let Err(ProgramError::NotStarted(error)) = &result
            && error.kind() == std::io::ErrorKind::ExecutableFileBusy
        {
            std::thread::sleep(Duration::from_millis(10));
            result = transfer.run(&mut take, cancelled);
        }
        (result, bytes)
    }
}

impl Drop for Script {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

fn never() -> bool {
    false
}

/// Children of this very test have its name among their arguments.
fn is_running(script: &Script) -> bool {
    let name = script.0.file_name().unwrap().to_str().unwrap().to_owned();
    fs::read_dir("/proc").unwrap().flatten().any(|entry| {
        let command = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&command).contains(&name)
    })
}

#[test]
fn errors_of_curl_have_their_kinds() {
    let bounds = Bounds::default();
    let transferred = |name: &str, text: &str| Script::new(name, text).run(bounds, &never);
    let (result, bytes) = transferred(
        "file",
        "cat >/dev/null; printf 12345; printf '\\nhttp status 200\\n' >&2",
    );
    assert_eq!((result.unwrap(), bytes), (Transferred::Done, 5));
    let missing = "echo 'curl: (22) The requested URL returned error: 404' >&2; echo 'http status 404' >&2; exit 22";
    assert_eq!(
        transferred("missing", missing).0.unwrap(),
        Transferred::Missing
    );
    let down = "echo 'curl: (22) The requested URL returned error: 500' >&2; echo 'http status 500' >&2; exit 22";
    let error = transferred("down", down).0.unwrap_err();
    assert_eq!(error.to_string(), "The requested URL returned error: 500");
    let error = transferred("slow", "echo 'curl: (28) Timeout was reached' >&2; exit 28")
        .0
        .unwrap_err();
    assert!(matches!(error, ProgramError::Slow(_)), "{error}");
    let error = transferred("refused", "echo 'curl: (7) Failed to connect' >&2; exit 7")
        .0
        .unwrap_err();
    assert!(matches!(error, ProgramError::Unreachable(_)), "{error}");
    let error = transferred("silent", "exit 9").0.unwrap_err();
    assert!(error.to_string().contains("exit status: 9"), "{error}");
    // A status that the body or a header made up would be on another line, and before the last one.
    let lies = "echo 'http status 404' >&2; echo 'http status 502' >&2; exit 22";
    assert!(matches!(
        transferred("lies", lies).0,
        Err(ProgramError::Failed(_))
    ));
}

#[test]
fn the_child_gets_its_configuration_by_its_input() {
    let script = Script::new("told", "test \"$*\" = '--disable --config -' && cat");
    let (result, bytes) = script.run(Bounds::default(), &never);
    assert_eq!(result.unwrap(), Transferred::Done);
    assert!(bytes > 100);
}

#[test]
fn a_child_that_sends_without_end_is_ended_at_the_bound() {
    let script = Script::new("endless", "exec cat /dev/zero");
    let bounds = Bounds {
        reply_bytes: 1 << 20,
        ..Bounds::default()
    };
    let (result, bytes) = script.run(bounds, &never);
    assert!(
        matches!(result, Err(ProgramError::TooLarge { .. })),
        "{result:?}"
    );
    assert!(bytes <= 1 << 20);
}

#[test]
fn a_child_that_keeps_no_bound_is_ended_by_our_clock_and_by_the_user() {
    let script = Script::new("hangs", "exec sleep 600");
    assert!(matches!(
        script.run(Bounds::default(), &|| true).0,
        Err(ProgramError::Cancelled)
    ));
    assert!(!is_running(&script));
    let transfer = Transfer {
        curl: &script.0,
        user: None,
        url: "http://host/",
        is_encrypted: false,
        post: None,
        bounds: Bounds::default(),
        deadline: Instant::now() + Duration::from_millis(300),
    };
    let result = transfer.run(&mut |_| Ok(()), &never);
    assert!(
        matches!(result, Err(ProgramError::NoTimeLeft)),
        "{result:?}"
    );
    assert!(!is_running(&script));
}

#[test]
fn the_error_names_a_missing_program() {
    let script = Script(PathBuf::from("/nonexistent/curl"));
    let error = script.run(Bounds::default(), &never).0.unwrap_err();
    assert!(matches!(error, ProgramError::NotStarted(_)), "{error}");
}
