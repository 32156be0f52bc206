//! Real-time priority for our own threads.
//!
//! What a VM changes while it is read has to be read faster than it changes. On a machine that is
//! busy, a thread of normal priority is interrupted for many milliseconds in between; one of the
//! lowest real-time priority is not.
#![allow(unsafe_code)]

use permitted_target::Raised;

const LOWEST: libc::sched_param = libc::sched_param { sched_priority: 1 };

/// Gives the calling thread the lowest real-time priority for good, or failing that the best
/// normal one. True when it is a real-time one.
pub fn become_realtime() -> bool {
    let is_realtime = set_policy(libc::SCHED_FIFO | libc::SCHED_RESET_ON_FORK, LOWEST);
    if !is_realtime {
        let _raised = Raised::for_priority();
        // SAFETY: takes numbers only; 0 is the calling thread.
        unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, -20) };
    }
    is_realtime
}

/// Does `work` with the lowest real-time priority, where that is allowed, and goes back to what
/// the calling thread had. For work that is short and bounded: until it is done, programs of normal
/// priority do not get its CPU.
pub fn with_realtime<T>(work: impl FnOnce() -> T) -> T {
    let _restored = Before::now().filter(|_| set_policy(libc::SCHED_FIFO, LOWEST));
    work()
}

/// True when the calling process may have real-time threads.
pub fn may_be_realtime() -> bool {
    let started = std::thread::Builder::new().spawn(become_realtime);
    started.is_ok_and(|thread| thread.join().unwrap_or(false))
}

/// What the thread had; it has that again when this is dropped, also by a panic.
struct Before {
    policy: libc::c_int,
    parameters: libc::sched_param,
}

impl Before {
    fn now() -> Option<Self> {
        let mut parameters = libc::sched_param { sched_priority: 0 };
        // SAFETY: `parameters` is a valid place for the kernel's output; 0 is the calling thread.
        let policy = unsafe {
            match libc::sched_getparam(0, &raw mut parameters) {
                0 => libc::sched_getscheduler(0),
                _ => -1,
            }
        };
        (policy >= 0).then_some(Self { policy, parameters })
    }
}

impl Drop for Before {
    fn drop(&mut self) {
        set_policy(self.policy, self.parameters);
    }
}

fn set_policy(policy: libc::c_int, parameters: libc::sched_param) -> bool {
    let _raised = Raised::for_priority();
    // SAFETY: the kernel reads `parameters` for the call only; 0 is the calling thread.
    unsafe { libc::sched_setscheduler(0, policy, &raw const parameters) == 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::catch_unwind;

    fn is_realtime() -> bool {
        // SAFETY: reads the calling thread's policy; no memory is involved.
        unsafe { libc::sched_getscheduler(0) & !libc::SCHED_RESET_ON_FORK == libc::SCHED_FIFO }
    }

    #[test]
    fn a_thread_has_its_priority_back_after_its_work() {
        assert!(!is_realtime());
        assert_eq!(with_realtime(is_realtime), may_be_realtime());
        assert!(!is_realtime());
        let panicked = catch_unwind(|| with_realtime(|| panic!("as a test")));
        assert!(panicked.is_err() && !is_realtime());
    }

    #[test]
    fn work_within_work_leaves_the_outer_one_its_priority() {
        let after_inner = with_realtime(|| {
            with_realtime(|| ());
            is_realtime()
        });
        assert_eq!(after_inner, may_be_realtime());
    }
}
