//! Runs the doctor on a process that is no VM. A test program of its own, because a process that looks at another is
//! locked in, for good and with all threads.
#![allow(clippy::unwrap_used)] // A panic fails the test.

use std::process::{Command, Stdio};

use diagnose::doctor::doctor;
use diagnose::look::Looker;
use diagnose::refusal::RefusalKind;
use protocol::discovery::DoctorStatus;

/// Of a process at rest: one at work is tried again for long, as it may be a VM that boots.
#[test]
#[allow(clippy::zombie_processes)] // It ends with this process.
fn a_process_that_is_no_vm_is_the_obstacle() {
    // It ends with its input, at the end of this process, which may signal no other one by then.
    let child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
    let diagnosis = doctor(Some(child.id()), &Looker::Thread);
    let obstacle = diagnosis.obstacle.unwrap();
    assert_eq!(obstacle.kind, RefusalKind::NoTarget);
    let mut rows = diagnosis.result.rows.iter();
    let attach = rows.find(|row| row.check == "attach").unwrap();
    assert_eq!(attach.status, DoctorStatus::Fail);
}
