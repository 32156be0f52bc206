use super::*;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};

fn sleeping() -> Child {
    Command::new("sleep").arg("600").spawn().unwrap()
}

fn end(mut child: Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

fn how(result: Result<(), AccessError>) -> Option<ChangedHow> {
    match result {
        Ok(()) => None,
        Err(AccessError::Changed { how, .. }) => Some(how),
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn this_process_is_itself_and_no_emulator() {
    let identity = Identity::open(std::process::id()).unwrap();
    identity.check().unwrap();
    let facts = identity.facts();
    assert_eq!(facts.uids, [rustix::process::getuid().as_raw(); 4]);
    assert_eq!(facts.is_emulator, Some(false));
    assert!(identity.has_thread(std::process::id()) && !identity.has_thread(1));
}

#[test]
fn a_process_that_has_ended_is_not_taken_for_one() {
    let child = sleeping();
    let identity = Identity::open(child.id()).unwrap();
    identity.check().unwrap();
    end(child);
    assert_eq!(how(identity.check()), Some(ChangedHow::Ended));
    assert!(Identity::open(0).is_err() && Identity::open(u32::MAX).is_err());
}

#[test]
fn one_that_waits_to_be_collected_has_ended() {
    let mut child = sleeping();
    let identity = Identity::open(child.id()).unwrap();
    child.kill().unwrap();
    while how(identity.check()).is_none() {
        std::thread::yield_now();
    }
    assert_eq!(how(identity.check()), Some(ChangedHow::Ended));
    child.wait().unwrap();
}

#[test]
fn another_program_in_its_place_is_noticed() {
    let mut child = Command::new("/bin/sh");
    let mut child = child
        .args(["-c", "read go; exec sleep 600"])
        .stdin(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let identity = Identity::open(child.id()).unwrap();
    // The shell itself, once it is there.
    let identity = match how(identity.check()) {
        None => identity,
        Some(_) => Identity::open(child.id()).unwrap(),
    };
    drop(child.stdin.take());
    while how(identity.check()).is_none() {
        std::thread::yield_now();
    }
    assert_eq!(how(identity.check()), Some(ChangedHow::OtherProgram));
    end(child);
}

/// Of a thousand processes, by night ten thousand, that are replaced by others, of another user where we may make such:
/// an opened process never passes for its successor.
#[test]
fn in_many_tries_no_process_passes_for_another() {
    // See `test/nightly.mjs`.
    let rounds = match std::env::var_os("EXTROSPECT_NIGHTLY") {
        Some(_) => 10_000_u32,
        None => 1_000,
    };
    let is_root = rustix::process::getuid().is_root();
    let mut outcomes = [0_u32; 2];
    for round in 0..rounds {
        let mut command = Command::new("/bin/true");
        if is_root && round % 2 == 0 {
            command.uid(65_534).gid(65_534);
        }
        let mut child = command.spawn().unwrap();
        let pid = child.id();
        let taken = Identity::open(pid);
        child.wait().unwrap();
        match &taken {
            Ok(identity) => {
                // Its number may be another process's by now; the descriptors know.
                assert_eq!(how(identity.check()), Some(ChangedHow::Ended), "{round}");
                assert!(!identity.has_thread(pid));
                assert!(identity.open_file("mem").is_err());
                outcomes[0] += 1;
            }
            Err(AccessError::Proc(ProcError::NoSuchProcess { .. })) => outcomes[1] += 1,
            Err(other) => panic!("{round}: {other}"),
        }
    }
    assert!(outcomes[0] > 0, "none was ever taken hold of: {outcomes:?}");
}

#[test]
fn all_four_users_of_a_process_are_read() {
    assert_eq!(
        uids(b"Name:\tx\nUid:\t1\t2\t3\t4\nGid:\t0\t0\t0\t0\n"),
        Some([1, 2, 3, 4])
    );
    for wrong in [&b""[..], b"Uid:\t1\t2\t3\n", b"Uid:\t1\t2\t3\tx\n"] {
        assert_eq!(uids(wrong), None);
    }
}
