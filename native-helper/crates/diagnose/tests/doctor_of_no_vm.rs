//! Runs the doctor on a process that is no VM. A test program of its own, because a process that looks at another is
//! locked in, for good and with all threads.
#![allow(clippy::unwrap_used)] // A panic fails the test.

use diagnose::doctor::doctor;
use diagnose::look::Looker;
use diagnose::refusal::RefusalKind;
use protocol::discovery::DoctorStatus;

#[test]
fn this_process_is_no_vm_and_that_is_the_obstacle() {
    let diagnosis = doctor(Some(std::process::id()), &Looker::Thread);
    let obstacle = diagnosis.obstacle.unwrap();
    assert_eq!(obstacle.kind, RefusalKind::NoTarget);
    let mut rows = diagnosis.result.rows.iter();
    let attach = rows.find(|row| row.check == "attach").unwrap();
    assert_eq!(attach.status, DoctorStatus::Fail);
}
