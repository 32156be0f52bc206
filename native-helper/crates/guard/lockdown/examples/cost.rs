//! The cost of the lock, as JSON: nanoseconds of a system call without it, while opening and when
//! locked, and microseconds that it takes to be locked in. `npm run bench -- --only lock` prints it.
#![allow(unsafe_code, clippy::unwrap_used, clippy::print_stdout)] // A measurement, no part of the helper.
#![allow(clippy::zombie_processes)] // No process may be waited for from inside the lock.

use std::process::{Command, Stdio};
use std::time::Instant;

use lockdown::{Lock, Phase, Still, drop_rights, lock};

const CALLS: u32 = 200_000;

/// A read of nothing from another process: all that is left of it is the call.
fn call_ns(target: u32) -> f64 {
    let nothing: [libc::iovec; 0] = [];
    let began = Instant::now();
    for _ in 0..CALLS {
        // SAFETY: no memory is named, neither here nor there.
        let read = unsafe {
            libc::process_vm_readv(
                target.cast_signed(),
                nothing.as_ptr(),
                0,
                nothing.as_ptr(),
                0,
                0,
            )
        };
        assert_eq!(read, 0);
    }
    began.elapsed().as_nanos() as f64 / f64::from(CALLS)
}

fn lock_us(target: u32, phase: Phase) -> f64 {
    let began = Instant::now();
    lock(&Lock {
        target,
        written: vec![1, 2],
        phase,
    })
    .unwrap();
    began.elapsed().as_nanos() as f64 / 1000.0
}

fn main() {
    let mut target = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
    let pid = target.id();
    // Once before, when caches are cold.
    call_ns(pid);
    let without = call_ns(pid);
    drop_rights(Still {
        reads_others: true,
        ..Still::default()
    })
    .unwrap();
    let opening_us = lock_us(pid, Phase::Opening);
    let opening = call_ns(pid);
    let locked_us = lock_us(pid, Phase::Locked);
    let locked = call_ns(pid);
    println!(
        "{{\"call_ns\":{{\"without\":{without:.0},\"opening\":{opening:.0},\"locked\":{locked:.0}}},\
         \"lock_us\":{{\"opening\":{opening_us:.0},\"locked\":{locked_us:.0}}}}}"
    );
    // No process may be signalled from in here; it ends when its input ends.
    drop(target.stdin.take());
}
