//! How much processor time no sample stands for where time in the kernel may not be sampled: the
//! threads' own clocks against the samples.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use capture::kernel_time::KernelTime;
use capture::quality::LONGEST_PAUSE_NS;
use perf_ring::KernelFrames;
use target_proc::ProcFs;
use target_proc::activity::Activity;

use super::Recording;

/// The clocks go in steps of 10 ms, and a running thread's is as late as the last tick.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);
const NS_PER_TICK: u64 = 10_000_000;
/// How much two readings may be wrong by: each of user and kernel time is rounded down.
const UNSURE_CPU_TICKS: u64 = 2;
const UNSURE_KERNEL_TICKS: u64 = 1;
/// Whole standard deviations that are left out of the claimed time.
const DEVIATIONS: f64 = 2.0;

/// Time of sampled threads, clock ticks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Ticks {
    cpu: u64,
    kernel: u64,
}

/// The time that one thread had used when it was first and when it was last looked at.
#[derive(Debug, Clone, Copy)]
struct Clock {
    first: Ticks,
    last: Ticks,
}

impl Clock {
    /// The time that it used in between, at least.
    fn used(&self) -> Ticks {
        let used = |first: u64, last: u64, unsure| last.saturating_sub(first + unsure);
        Ticks {
            cpu: used(self.first.cpu, self.last.cpu, UNSURE_CPU_TICKS),
            kernel: used(self.first.kernel, self.last.kernel, UNSURE_KERNEL_TICKS),
        }
    }
}

/// The clocks of sampled threads. Empty where time in the kernel is sampled.
#[derive(Debug, Default)]
pub(super) struct ThreadClocks {
    clocks: HashMap<u32, Clock>,
    /// Of threads that have ended.
    ended: Ticks,
    looked: Option<Instant>,
    /// As it was one look before the last: all of its samples have been read by now.
    settled: Ticks,
}

impl ThreadClocks {
    /// Reads the clocks when it is time to; `now` whatever the time is.
    fn look(
        &mut self,
        now: bool,
        tids: impl Iterator<Item = u32>,
        read: impl Fn(u32) -> Option<Activity>,
    ) {
        let is_due = self.looked.is_none_or(|it| it.elapsed() >= LOOK_INTERVAL);
        if !now && !is_due {
            return;
        }
        self.looked = Some(Instant::now());
        self.settled = self.used();
        let mut alive = HashMap::with_capacity(self.clocks.len());
        for tid in tids {
            // A thread whose clock cannot be read is as good as one that has ended.
            let Some(activity) = read(tid) else { continue };
            let last = Ticks {
                cpu: activity.cpu_ticks,
                kernel: activity.kernel_ticks,
            };
            let clock = self.clocks.remove(&tid);
            // A clock that went back is another thread's, of the same number.
            let first = clock.filter(|clock| clock.last.cpu <= last.cpu);
            if let (Some(ended), None) = (clock, first) {
                self.end(&ended);
            }
            let first = first.map_or(last, |clock| clock.first);
            alive.insert(tid, Clock { first, last });
        }
        for ended in std::mem::replace(&mut self.clocks, alive).into_values() {
            self.end(&ended);
        }
    }

    fn end(&mut self, clock: &Clock) {
        let used = clock.used();
        self.ended.cpu += used.cpu;
        self.ended.kernel += used.kernel;
    }

    fn used(&self) -> Ticks {
        let all = self.clocks.values().map(Clock::used);
        all.fold(self.ended, |sum, used| Ticks {
            cpu: sum.cpu + used.cpu,
            kernel: sum.kernel + used.kernel,
        })
    }
}

/// The record for `used`, when samples stand for `sampled_ns`, each for `period_ns` at least.
fn missing(used: Ticks, sampled_ns: u64, period_ns: u64) -> KernelTime {
    // The kernel's own account: exact in sum, but the part in the kernel mostly comes from ticks.
    let kernel_ns = unlucky(used.kernel, NS_PER_TICK, -DEVIATIONS);
    let cpu_ns = used.cpu.saturating_mul(NS_PER_TICK);
    let samples = sampled_ns / period_ns.max(1);
    let not_sampled_ns =
        cpu_ns.saturating_sub(unlucky(samples, period_ns, DEVIATIONS).max(sampled_ns));
    KernelTime {
        sampled: false,
        cpu_ns,
        // Samples may lack for other reasons, too: a host that took the processor away, a CPU that was
        // switched on. The time that both show is in the kernel.
        missing_ns: kernel_ns.min(not_sampled_ns),
    }
}

/// The time that `count` events of `each_ns` stand for when chance moved it by so many deviations.
fn unlucky(count: u64, each_ns: u64, deviations: f64) -> u64 {
    let count = count as f64;
    ((count + deviations * count.sqrt()).max(0.0) * each_ns as f64) as u64
}

impl Recording {
    /// Whether threads are sampled while they run in the kernel.
    fn samples_kernel(&self) -> bool {
        self.event_settings.kernel != KernelFrames::Excluded
    }

    /// Reads the clocks of sampled threads, before samples of the same time are counted.
    pub(super) fn look_at_clocks(&mut self, now: bool) {
        if self.samples_kernel() {
            return;
        }
        let (pid, proc_fs) = (self.pid, ProcFs::live());
        self.clocks.look(now, self.events.thread_ids(), |tid| {
            proc_fs.thread_activity(pid, tid)
        });
    }

    /// How much processor time a sample stands for at least, nanoseconds.
    pub(super) fn asked_period_ns(&self) -> u64 {
        1_000_000_000 / u64::from(self.rate.asked_hz())
    }

    /// The time that `lost` samples stand for, and that in which the kernel paused, nanoseconds.
    pub(super) fn not_seen_ns(&self, lost: u64, throttled: u64) -> u64 {
        let lost_ns = lost.saturating_mul(self.asked_period_ns() * u64::from(self.rate.weight()));
        lost_ns.saturating_add(throttled.saturating_mul(LONGEST_PAUSE_NS))
    }

    /// The capture's record of time in the kernel.
    pub(super) fn kernel_time(&self, not_seen_ns: u64) -> KernelTime {
        if self.samples_kernel() {
            return KernelTime {
                sampled: true,
                ..KernelTime::default()
            };
        }
        let used = match self.ran {
            Some(_) => self.clocks.used(),
            None => self.clocks.settled,
        };
        let period_ns = self.asked_period_ns();
        let sampled_ns = self.resolver.table.writer.sampled_ns() + not_seen_ns;
        missing(used, sampled_ns, period_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND_NS: u64 = 1_000_000_000;

    fn activity(cpu_ticks: u64, kernel_ticks: u64) -> Option<Activity> {
        Some(Activity {
            state: 'R',
            cpu_ticks,
            kernel_ticks,
        })
    }

    #[test]
    fn clocks_count_from_the_first_look_and_threads_that_end_stay_counted() {
        let mut clocks = ThreadClocks::default();
        clocks.look(true, [1, 2].into_iter(), |tid| {
            activity(1000 * u64::from(tid), 500)
        });
        assert_eq!(clocks.used(), Ticks::default());
        clocks.look(true, [1, 2].into_iter(), |tid| {
            activity(1000 * u64::from(tid) + 102, 561)
        });
        let both = Ticks {
            cpu: 200,
            kernel: 120,
        };
        assert_eq!(clocks.used(), both);
        // The second ends and another thread gets the number of the first.
        clocks.look(true, [1].into_iter(), |_| activity(3, 1));
        assert_eq!((clocks.used(), clocks.settled), (both, both));
        clocks.look(true, std::iter::empty(), |_| None);
        assert_eq!(clocks.used(), both);
    }

    #[test]
    fn clocks_are_read_once_a_second() {
        let mut clocks = ThreadClocks::default();
        clocks.look(false, [1].into_iter(), |_| activity(0, 0));
        clocks.look(false, [1].into_iter(), |_| activity(102, 0));
        assert_eq!(clocks.used(), Ticks::default());
        clocks.look(true, [1].into_iter(), |_| activity(102, 0));
        assert_eq!(clocks.used().cpu, 100);
    }

    #[test]
    fn what_is_missing_is_what_clocks_and_samples_agree_on() {
        let used = Ticks {
            cpu: 1000,
            kernel: 640,
        };
        let period_ns = SECOND_NS / 499;
        let missing_of = |sampled_ns| missing(used, sampled_ns, period_ns);
        // 3.6 of 10 seconds are in samples: 6.4 are not, less what chance may do.
        let both = missing_of(36 * SECOND_NS / 10);
        assert!((57..=63).contains(&both.missing_pct().unwrap()), "{both:?}");
        assert_eq!(both.cpu_ns, 10 * SECOND_NS);
        // All of it is in samples, whatever ticks show.
        assert_eq!(missing_of(10 * SECOND_NS).missing_pct(), None);
        // None of it is: a host took the processor away for a time, which is not the kernel's.
        assert!((55..64).contains(&missing_of(0).missing_pct().unwrap()));
        let short = Ticks { cpu: 3, kernel: 3 };
        assert_eq!(missing(short, 0, period_ns).missing_ns, 0);
    }
}
