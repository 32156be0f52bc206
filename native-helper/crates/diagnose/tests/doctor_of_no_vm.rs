//! Asking the doctor about a process that is no VM. A test program of its own: who looks at a process is
//! locked in, for good and with all threads.
#![allow(clippy::unwrap_used)] // A test that fails says so.

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
