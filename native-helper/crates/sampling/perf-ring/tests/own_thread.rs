//! Samples this very process: needs the right to use perf on oneself, and for switches of threads that to
//! sample in the kernel.

#![allow(clippy::expect_used)] // A test: an unmet expectation is its failure.

use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use perf_ring::counting::{Counter, CounterGroup, MOST_COUNTERS};
use perf_ring::event::best_settings;
use perf_ring::{
    Event, EventId, EventSettings, KernelFrames, OpenError, Rate, Record, Ring, Scope, Source,
    WakeUp, Way, parse_record,
};

/// This thread while it runs on `cpu`.
fn own_thread_on(cpu: u32) -> Scope {
    Scope::Thread {
        tid: thread_id(),
        cpu: Some(cpu),
    }
}

/// One for each CPU.
fn rings(pages: usize) -> Vec<Ring> {
    let cpus = std::thread::available_parallelism()
        .expect("a number of CPUs")
        .get() as u32;
    let ring = |cpu| Ring::new(cpu, pages).expect("a ring");
    (0..cpus).map(ring).collect()
}

/// Events of this thread, one into each ring.
fn enabled(settings: &EventSettings, rings: &[Ring]) -> Vec<Event> {
    let event = |(cpu, ring): (u32, &Ring)| {
        let event = Event::open(settings, own_thread_on(cpu)).expect("an event");
        event
            .output_to(&ring.anchor().expect("an anchor"))
            .expect("one CPU, one ring");
        event.enable().expect("enabled");
        event
    };
    (0..).zip(rings).map(event).collect()
}

fn ids(events: &[Event]) -> Vec<EventId> {
    let id = |event: &Event| event.id().expect("an identifier");
    events.iter().map(id).collect()
}

fn thread_id() -> u32 {
    let link = std::fs::read_link("/proc/thread-self").expect("proc is mounted");
    link.file_name()
        .and_then(|name| name.to_str())
        .expect("a tid")
        .parse()
        .expect("a number")
}

fn burn(duration: Duration) -> u64 {
    let (start, mut sum) = (Instant::now(), 0u64);
    while start.elapsed() < duration {
        sum = (0..10_000).fold(sum, |sum, n| sum.wrapping_mul(31).wrapping_add(n));
    }
    sum
}

#[test]
fn a_busy_thread_is_sampled_no_more_often_than_requested() {
    let wanted = EventSettings {
        source: Source::CpuClock,
        rate: Rate::Hz(997),
        stack_bytes: 1024,
        wake_up: WakeUp::EverySample,
        kernel: KernelFrames::Leaf,
    };
    let settings = best_settings(wanted, thread_id()).expect("perf is allowed on oneself");
    let mut rings = rings(64);
    let events = enabled(&settings, &rings);
    let ids = ids(&events);
    let started = Instant::now();
    let mut samples = 0;
    // Samples are of processor time, of which others may leave little.
    while samples <= 50 && started.elapsed() < Duration::from_secs(120) {
        std::hint::black_box(burn(Duration::from_millis(100)));
        for ring in &mut rings {
            assert!(ring.wait(std::io::stdin().as_fd(), 0).is_ok());
            while let Some(bytes) = ring.next_record() {
                if let Some(Record::Sample(sample)) = parse_record(&settings, bytes) {
                    assert_eq!(sample.tid, thread_id());
                    assert_eq!(sample.id, ids[sample.cpu as usize]);
                    assert!(sample.registers.is_some());
                    samples += 1;
                }
            }
        }
    }
    let burnt = started.elapsed();
    let expected = burnt.as_secs_f64() * 997.0;
    // Processor time is at most the time that passed.
    assert!(
        samples > 50 && f64::from(samples) < expected * 1.1,
        "{samples} of {expected}"
    );
}

/// The rate of an event that runs, down and up again. A thread cannot be sampled more often than at its rate, however
/// busy the machine is.
#[test]
fn the_rate_of_a_running_event_is_changed() {
    let wanted = EventSettings {
        source: Source::CpuClock,
        rate: Rate::Hz(1000),
        stack_bytes: 1024,
        wake_up: WakeUp::HalfFull,
        kernel: KernelFrames::Leaf,
    };
    let settings = best_settings(wanted, thread_id()).expect("perf is allowed on oneself");
    let mut rings = rings(64);
    let events = enabled(&settings, &rings);
    let samples_in = |rings: &mut Vec<Ring>| {
        let mut samples = 0;
        for ring in rings {
            while let Some(bytes) = ring.next_record() {
                let record = parse_record(&settings, bytes);
                samples += u64::from(matches!(record, Some(Record::Sample(_))));
            }
        }
        samples
    };
    for weight in [1, 20, 2] {
        for event in &events {
            event.set_weight(&settings, weight).expect("a new rate");
        }
        samples_in(&mut rings);
        let (started, mut samples) = (Instant::now(), 0);
        while samples < 20 && started.elapsed() < Duration::from_secs(120) {
            std::hint::black_box(burn(Duration::from_millis(50)));
            samples += samples_in(&mut rings);
        }
        let expected = started.elapsed().as_secs_f64() * 1000.0 / f64::from(weight);
        // One more of each CPU: a period that had begun before.
        let most = expected * 1.1 + rings.len() as f64;
        assert!(
            samples >= 20 && samples as f64 <= most,
            "weight {weight}: {samples} of {expected}"
        );
    }
}

/// Two sources in one ring, which is so short that records run over its end.
#[test]
fn a_thread_that_sleeps_is_sampled_at_its_switches_beside_its_clock() {
    let wanted = EventSettings {
        source: Source::CpuClock,
        rate: Rate::Hz(997),
        stack_bytes: 8,
        wake_up: WakeUp::HalfFull,
        kernel: KernelFrames::Leaf,
    };
    let tid = thread_id();
    let switches = EventSettings {
        source: Source::ContextSwitches,
        rate: Rate::Every(1),
        ..wanted
    };
    let [clock, switches] = [wanted, switches]
        .map(|wanted| best_settings(wanted, tid).expect("perf is allowed on oneself"));
    const PAGES: usize = 2;
    let mut rings = rings(PAGES);
    let (clock_events, switch_events) = (enabled(&clock, &rings), enabled(&switches, &rings));
    let (clock_ids, switch_ids) = (ids(&clock_events), ids(&switch_events));
    let (mut ticks, mut leaves, mut is_out, mut is_back) = (0, 0, false, false);
    let mut read = vec![0; rings.len()];
    let has_gone_round = |read: &[usize]| read.iter().any(|bytes| *bytes > 4 * PAGES * 4096);
    while ticks == 0 || leaves == 0 || !is_out || !is_back || !has_gone_round(&read) {
        // Nothing is waited for: to sleep is to be switched out.
        std::thread::sleep(Duration::from_millis(1));
        std::hint::black_box(burn(Duration::from_millis(1)));
        for (ring, read) in rings.iter_mut().zip(&mut read) {
            while let Some(bytes) = ring.next_record() {
                *read += bytes.len();
                match parse_record(&clock, bytes).expect("a whole record") {
                    Record::Sample(sample) => {
                        assert_eq!(sample.tid, tid);
                        let cpu = sample.cpu as usize;
                        match sample.id == switch_ids[cpu] {
                            true => leaves += 1,
                            false => {
                                assert_eq!(sample.id, clock_ids[cpu]);
                                ticks += 1;
                            }
                        }
                    }
                    Record::Switch(switch) => {
                        assert_eq!(switch.tid, tid);
                        assert_eq!(switch.id, switch_ids[switch.cpu as usize]);
                        match switch.way {
                            Way::Out { preempted } => is_out |= !preempted,
                            Way::In => is_back = true,
                        }
                    }
                    Record::Lost(_) | Record::Throttled | Record::Other => {}
                }
            }
        }
    }
}

/// Migrations need the right to count in the kernel, hardware counters a machine that has them: others are
/// refused and never 0.
#[test]
fn a_group_counts_from_its_enabling_on_or_is_refused() {
    use Counter::{BranchMisses, CacheMisses, Cycles, Instructions, Migrations};
    let migrations = CounterGroup::open(&[Migrations], thread_id(), true).expect("rights to count");
    assert_eq!(migrations.read().expect("counts").enabled_ns, 0);
    migrations.enable().expect("enabled");
    std::hint::black_box(burn(Duration::from_millis(1)));
    let counts = migrations.read().expect("counts");
    assert!(counts.enabled_ns > 0 && counts.running_ns == counts.enabled_ns);
    assert_eq!(counts.counts[1..], [0; MOST_COUNTERS - 1]);

    let all = [Cycles, Instructions, CacheMisses, BranchMisses];
    match CounterGroup::open(&all, thread_id(), true) {
        Ok(group) => {
            group.enable().expect("enabled");
            std::hint::black_box(burn(Duration::from_millis(1)));
            let counts = group.read().expect("counts");
            assert!(counts.enabled_ns >= counts.running_ns);
            assert_eq!(counts.counts[1] > 0, counts.running_ns > 0);
        }
        Err(OpenError::Unsupported) => {}
        Err(error) => assert!(matches!(error, OpenError::Os(_)), "{error}"),
    }
    assert!(matches!(
        CounterGroup::open(&[Migrations], u32::MAX, false),
        Err(OpenError::ThreadGone)
    ));
}
